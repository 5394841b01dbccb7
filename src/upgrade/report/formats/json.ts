import { countOf, type Report } from '../finding.ts'

/** Prints JSON, for programs. Members of `Finding` that do not apply are omitted. */
export function jsonReport(report: Report): string {
  const { from, to, sources, objects, findings } = report
  const summary = { blocking: countOf(report, 'blocking'), warnings: countOf(report, 'warning'), notes: countOf(report, 'note') }
  return `${JSON.stringify({ kind: 'UpgradeReport', from, to, sources, objects, summary, findings }, null, 2)}\n`
}
