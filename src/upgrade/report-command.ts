import { compareReleases } from '../lifecycle/release.ts'
import { ArgumentError, readArguments, readRelease } from './arguments.ts'
import type { Streams } from './convert-command.ts'
import { countOf, type Report } from './report/finding.ts'
import { jsonReport } from './report/formats/json.ts'
import { textReport } from './report/formats/text.ts'
import { type Examined, reportOn } from './report/report.ts'
import { examineFiles } from './report/sources/files.ts'
import { ReleaseKinds } from './versions/release-kinds.ts'

export const REPORT_USAGE = `Usage: binnacle upgrade-report --from RELEASE --to RELEASE [-f FILE|FOLDER|-] [flags]

Says what an upgrade of Kubernetes means for manifests: versions, fields, annotations, feature gates and flags that go, defaults and validation that change.

      --from       the present release: 1.29
      --to         the release to upgrade to: 1.34
  -f, --filename   a file, a folder (*.yaml, *.yml and *.json at any depth), or - for standard input
      --gates      feature gates of a component that the manifests do not show: A=true,B=false
  -o, --output     text (default), json
      --diff       shows in text what conversion makes of objects

Exit status: 0 nothing is in the way, 1 something is, 2 an error.
`

const FORMATS: Readonly<Record<string, (report: Report, withDiffs: boolean) => string>> = { text: textReport, json: jsonReport }

const OPTIONS = { from: 'value', to: 'value', filename: 'values', gates: 'value', output: 'value', diff: 'switch', help: 'switch' } as const

/** Resolves with the exit status. Throws ArgumentError and ManifestError. */
export async function runReport(argv: readonly string[], { out }: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, { f: 'filename', o: 'output', h: 'help' }, 'filename')
  if (given.isOn('help')) {
    out(REPORT_USAGE)
    return 0
  }
  const [from, to] = [readRelease('from', given.value('from')), readRelease('to', given.value('to'))]
  if (compareReleases(from, to) > 0) throw new ArgumentError(`--to ${to} is older than --from ${from}`)
  const format = FORMATS[given.value('output') ?? 'text']
  if (format === undefined) throw new ArgumentError(`--output ${given.value('output')}: not one of ${Object.keys(FORMATS).join(', ')}`)
  const paths = given.values('filename')
  const gates = given.value('gates')
  const sources: Examined[] = paths.length === 0 ? [] : [examineFiles(paths, new ReleaseKinds(to))]
  if (sources.length === 0 && gates === undefined) throw new ArgumentError('-f is needed: a file, a folder, or - for standard input')
  const report = await reportOn(sources, { from, to, ...(gates !== undefined && { gates }) })
  out(format(report, given.isOn('diff')))
  return countOf(report, 'blocking') > 0 ? 1 : 0
}
