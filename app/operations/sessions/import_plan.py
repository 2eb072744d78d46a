"""What an import would do, for the terminal and for scripts."""

from app.record.imports.plan import FilePlan, ImportPlan


def plan_text(plan: ImportPlan) -> str:
    """Write a plan for the terminal."""
    lines = []
    for file in plan.files:
        if file.error:
            lines.append(str(file.error))
            continue
        starts = f", begins {file.starts:%Y-%m-%d %H:%M:%S} UTC" if file.starts else ""
        within = f" within {file.spread_s:g} s" if file.starts else ""
        lines.append(f"{file.path.name}: {file.kind}, {file.detail}".rstrip(", "))
        lines.append(f"  {file.clock}; {file.length_s:g} s long{starts}{within}")
        if file.questions:
            asked = ", ".join(str(question) for question in file.questions)
            lines.append(f"  has to be said: {asked}")
    lines += plan.remarks
    if plan.error:
        lines.append(plan.error)
    lines.append(_verdict(plan))
    return "\n".join(lines) + "\n"


def _verdict(plan: ImportPlan) -> str:
    """Say whether it can be imported, or what is all that lacks."""
    if plan.is_ready:
        return "It can be imported."
    if plan.error or not plan.questions or any(file.error for file in plan.files):
        return "It cannot be imported as it stands."
    asked = " and ".join(str(question) for question in plan.questions)
    return f"It can be imported once it is said: {asked}."


def plan_json(plan: ImportPlan) -> dict[str, object]:
    """Write a plan as plain values."""
    return {
        "ready": plan.is_ready,
        "questions": [str(question) for question in plan.questions],
        "error": plan.error or None,
        "remarks": list(plan.remarks),
        "files": [_file_json(file) for file in plan.files],
    }


def _file_json(file: FilePlan) -> dict[str, object]:
    return {
        "file": str(file.path),
        "kind": file.kind,
        "detail": file.detail,
        "clock": file.clock,
        "questions": [str(question) for question in file.questions],
        "starts": file.starts.timestamp() if file.starts else None,
        "length_s": file.length_s,
        "spread_s": file.spread_s,
        "error": file.error and str(file.error),
    }
