import { ArgumentError, type Arguments, readArguments, type Streams } from '../lib/arguments.ts'
import { DEFAULT_RELEASE, RELEASE_RANGE, RELEASES } from '../lifecycle/release.ts'
import { checkInput } from './check.ts'
import { githubReport } from './formats/github.ts'
import { jsonReport } from './formats/json.ts'
import { junitReport } from './formats/junit.ts'
import { type CheckReport, isFailed, SEVERITIES } from './formats/report.ts'
import { sarifReport } from './formats/sarif.ts'
import { textReport } from './formats/text.ts'
import type { CheckOptions, CheckSeverity } from './types.ts'

const USAGE = `Usage: binnacle check -f FILE|FOLDER|- [-f …] [flags]

Reports what an API server would say to manifests, without a server and without a network.

  -f, --filename        a file, a folder (*.yaml, *.yml and *.json at any depth, or a kustomization), or - for standard input;
                        plans of terraform show -json and previews of pulumi preview --json are read, too
      --release         release of Kubernetes (default ${DEFAULT_RELEASE})
      --feature-gates   feature gates that differ from the defaults: A=true,B=false
      --runtime-config  versions that are served in addition, as for the server: resource.k8s.io/v1beta1=true
      --crds            file or folder of CustomResourceDefinitions that exist already
  -n, --namespace       namespace of objects that name none (default: default)
      --as-given        applies objects in the order of the input, instead of definitions, namespaces and policies first
      --strict          makes unknown kinds, missing namespaces and missing references errors
      --show-defaults   reports the defaults that the server sets
      --diff            prints the change of each object, as kubectl diff does
      --fail-on         least severity that makes the check fail: error (default), warning or note
  -o, --output          text (default), json, sarif (2.1.0), junit or github, annotations of a workflow

Exit status: 0 nothing found at or above --fail-on, 1 something found, 2 an error of the command line.
`

const OPTIONS = {
  filename: 'values',
  release: 'value',
  'feature-gates': 'value',
  'runtime-config': 'value',
  crds: 'values',
  namespace: 'value',
  'as-given': 'switch',
  strict: 'switch',
  'show-defaults': 'switch',
  diff: 'switch',
  'fail-on': 'value',
  output: 'value',
  help: 'switch',
} as const

const FORMATS: Readonly<Record<string, (report: CheckReport) => string>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  junit: junitReport,
  github: githubReport,
}

/** Runs `binnacle check`. Resolves with the exit status. Throws ArgumentError, ManifestError and FlagError. */
export async function runCheck(argv: readonly string[], { out }: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, { f: 'filename', n: 'namespace', o: 'output', h: 'help' }, 'filename')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  const name = given.value('output') ?? 'text'
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (format === undefined) throw new ArgumentError(`--output ${name}: not one of ${Object.keys(FORMATS).join(', ')}`)
  const failOn = severityOf(given.value('fail-on') ?? 'error')
  const options = optionsOf(given)
  const { result, input } = await checkInput(options)
  out(format({ result, failOn, texts: new Map(input.texts.map(text => [text.name, text])) }))
  return isFailed(result, failOn) ? 1 : 0
}

function severityOf(text: string): CheckSeverity {
  const severity = SEVERITIES.find(each => each === text)
  if (severity === undefined) throw new ArgumentError(`--fail-on ${text}: not one of ${SEVERITIES.join(', ')}`)
  return severity
}

/** Converts flags to options. Throws ArgumentError. */
function optionsOf(given: Arguments): CheckOptions {
  const paths = given.values('filename')
  if (paths.length === 0) throw new ArgumentError('-f is needed: a file, a folder, or - for standard input')
  const [release, namespace, runtimeConfig] = [given.value('release'), given.value('namespace'), given.value('runtime-config')]
  return {
    paths,
    crds: given.values('crds'),
    ...(release !== undefined && { release: releaseOf(release) }),
    ...(namespace !== undefined && { namespace }),
    ...(runtimeConfig !== undefined && { runtimeConfig }),
    gates: gatesOf(given.value('feature-gates') ?? ''),
    asGiven: given.isOn('as-given'),
    strict: given.isOn('strict'),
    showDefaults: given.isOn('show-defaults'),
    diff: given.isOn('diff'),
  }
}

function releaseOf(text: string): string {
  const release = RELEASES.find(each => each === text.replace(/^v/, '').split('.').slice(0, 2).join('.'))
  if (release === undefined) throw new ArgumentError(`--release ${text}: not one of ${RELEASE_RANGE}`)
  return release
}

function gatesOf(text: string): Record<string, boolean> {
  const gates: Record<string, boolean> = {}
  for (const entry of text.split(',').filter(each => each !== '')) {
    const [name = '', value] = entry.split('=')
    if (value !== 'true' && value !== 'false') throw new ArgumentError(`--feature-gates ${entry}: must be NAME=true or NAME=false`)
    gates[name] = value === 'true'
  }
  return gates
}
