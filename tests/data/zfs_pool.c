#include <sys/zfs_context.h>
#include <sys/spa.h>
#include <sys/spa_impl.h>
#include <sys/vdev_impl.h>
#include <sys/vdev.h>
#include <sys/metaslab_impl.h>
#include <sys/dsl_dir.h>
#include <sys/dsl_pool.h>
#include <sys/dsl_dataset.h>
#include <sys/fs/zfs.h>
#include <libnvpair.h>
#include <stdio.h>
#include <fcntl.h>
extern void kernel_init(int); extern void kernel_fini(void);
/* pool KIND PARITY GROUPS WIDTH BYTES ASHIFT [DATA SPARES] */
int main(int c, char **v) {
  char *kind=v[1]; int par=atoi(v[2]), groups=atoi(v[3]), width=atoi(v[4]); uint64_t bytes=strtoull(v[5],0,0); int ashift=atoi(v[6]);
  int data=c>7?atoi(v[7]):0, spares=c>8?atoi(v[8]):0;
  kernel_init(SPA_MODE_READ|SPA_MODE_WRITE);
  nvlist_t **tops=calloc(groups,sizeof(*tops)); int n=0; char path[256];
  for(int g=0;g<groups;g++){
    nvlist_t **leafs=calloc(width,sizeof(*leafs));
    for(int i=0;i<width;i++){ snprintf(path,256,"/dev/shm/zfsF/f%d",n++); int fd=open(path,O_RDWR|O_CREAT|O_TRUNC,0600); if(ftruncate(fd,bytes)) perror("trunc"); close(fd);
      leafs[i]=fnvlist_alloc(); fnvlist_add_string(leafs[i],ZPOOL_CONFIG_TYPE,VDEV_TYPE_FILE); fnvlist_add_string(leafs[i],ZPOOL_CONFIG_PATH,path); fnvlist_add_uint64(leafs[i],ZPOOL_CONFIG_ASHIFT,ashift);}
    nvlist_t *t;
    if(!strcmp(kind,"stripe")) t=leafs[0];
    else { t=fnvlist_alloc(); fnvlist_add_string(t,ZPOOL_CONFIG_TYPE,kind);
      fnvlist_add_uint64(t,ZPOOL_CONFIG_ASHIFT,ashift);
      if(par) fnvlist_add_uint64(t,ZPOOL_CONFIG_NPARITY,par);
      if(!strcmp(kind,"draid")){ int nd=width-spares, ng=1; while((ng*(data+par))%nd) ng++;
        fnvlist_add_uint64(t,ZPOOL_CONFIG_DRAID_NDATA,data); fnvlist_add_uint64(t,ZPOOL_CONFIG_DRAID_NSPARES,spares); fnvlist_add_uint64(t,ZPOOL_CONFIG_DRAID_NGROUPS,ng);}
      fnvlist_add_nvlist_array(t,ZPOOL_CONFIG_CHILDREN,leafs,width);}
    fnvlist_add_uint64(t,ZPOOL_CONFIG_IS_LOG,0);
    tops[g]=t; }
  nvlist_t *root=fnvlist_alloc(); fnvlist_add_string(root,ZPOOL_CONFIG_TYPE,VDEV_TYPE_ROOT); fnvlist_add_nvlist_array(root,ZPOOL_CONFIG_CHILDREN,tops,groups);
  nvlist_t *props=fnvlist_alloc();
  for(spa_feature_t f=0; f<SPA_FEATURES; f++){ char b[128]; snprintf(b,128,"feature@%s",spa_feature_table[f].fi_uname); fnvlist_add_uint64(props,b,0);}
  int e=spa_create("bayscope",root,props,NULL,NULL); if(e){fprintf(stderr,"create %d %s\n",e,strerror(e));return 1;}
  spa_t *spa; e=spa_open("bayscope",&spa,FTAG); if(e){fprintf(stderr,"open %d\n",e);return 1;}
  txg_wait_synced(spa_get_dsl(spa),0);
  vdev_t *t=spa->spa_root_vdev->vdev_child[0];
  uint64_t size=0; for(int i=0;i<spa->spa_root_vdev->vdev_children;i++) size+=spa->spa_root_vdev->vdev_child[i]->vdev_stat.vs_space;
  printf("{\"asize\":%llu,\"ms_shift\":%llu,\"ms_count\":%llu,\"deflate\":%llu,\"zpool_size\":%llu,\"dspace\":%llu,\"slop\":%llu,\"embedded\":%llu,\"available\":%llu,\"used\":%llu,\"asize128k\":%llu,\"asize1m\":%llu,\"asize4k\":%llu}\n",
   (unsigned long long)t->vdev_asize,(unsigned long long)t->vdev_ms_shift,(unsigned long long)t->vdev_ms_count,(unsigned long long)t->vdev_deflate_ratio,
   (unsigned long long)(metaslab_class_get_space(spa_normal_class(spa))+metaslab_class_get_space(spa_embedded_log_class(spa))),
   (unsigned long long)spa_get_dspace(spa),(unsigned long long)spa_get_slop_space(spa),(unsigned long long)metaslab_class_get_dspace(spa_embedded_log_class(spa)),
   (unsigned long long)dsl_dir_space_available(spa->spa_dsl_pool->dp_root_dir,NULL,0,B_TRUE),
   (unsigned long long)dsl_dir_phys(spa->spa_dsl_pool->dp_root_dir)->dd_used_bytes,
   (unsigned long long)vdev_psize_to_asize(t,131072),(unsigned long long)vdev_psize_to_asize(t,1048576),(unsigned long long)vdev_psize_to_asize(t,4096));
  fflush(stdout); _exit(0);
}
