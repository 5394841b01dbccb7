import { ArgumentError, type Arguments, readArguments, type Streams } from '../lib/arguments.ts'
import { errorMessage } from '../lib/error-message.ts'
import { printable } from '../lib/printable.ts'
import { DEFAULT_RELEASE, RELEASE_RANGE, RELEASES } from '../lifecycle/release.ts'
import { checkInput } from './check-input.ts'
import { githubReport } from './formats/github.ts'
import { jsonReport } from './formats/json.ts'
import { junitReport } from './formats/junit.ts'
import { type CheckReport, isFailed, SEVERITIES } from './formats/report.ts'
import { sarifReport } from './formats/sarif.ts'
import { textReport } from './formats/text.ts'
import { textsOf } from './input/input-object.ts'
import type { CheckOptions, CheckSeverity } from './types.ts'
import { runAtChanges } from './watch-input.ts'

const USAGE = `Usage: binnacle check -f FILE|FOLDER|- [-f …] [flags]
       binnacle check --policies PATH --cases PATH [flags]

Reports what an API server would say to manifests, without a server and without a network.

  -f, --filename        a file, a folder (*.yaml, *.yml and *.json at any depth, or a kustomization), or - for standard input;
                        plans of terraform show -json and previews of pulumi preview --json are read, too
      --release         release of Kubernetes (default ${DEFAULT_RELEASE})
      --feature-gates   feature gates that differ from the defaults: A=true,B=false
      --runtime-config  versions that are served in addition, as for the server: resource.k8s.io/v1beta1=true
      --crds            file or folder of CustomResourceDefinitions that exist already
      --policies        file or folder of policies, bindings and parameters that are in force
      --cases           file or folder of cases that test policies: PolicyTest of binnacle, and tests of kyverno and gator
                        as far as they test ValidatingAdmissionPolicies and MutatingAdmissionPolicies
      --against         what the manifests are checked against: a snapshot of etcd, a data directory, a file or folder of objects
                        (kubectl get -o yaml, must-gather, tar.gz), or a kubeconfig, whose server is only read
      --context         context of the kubeconfig (default: the current one)
      --etcd-prefix     prefix of the keys of a snapshot (default /registry)
      --skip-hash-check reads a snapshot without verifying the hash at its end
      --encryption-provider-config
                        the EncryptionConfiguration of the cluster, if its snapshot is encrypted
      --as, --as-group  user whose permissions count, and groups (default: an administrator)
      --field-manager   manager of the fields that are applied (default kubectl)
      --force-conflicts takes over fields of other managers
      --webhook         NAME=URL: calls an admission webhook of that name; others are not called
  -n, --namespace       namespace of objects that name none (default: default)
      --as-given        applies objects in the order of the input, instead of definitions, namespaces and policies first
      --strict          makes unknown kinds, repeated fields, missing namespaces and missing references errors
      --show-defaults   reports the defaults that the server sets
      --diff            prints the change of each object, as kubectl diff does
      --watch           checks again at each change of the files, until it is interrupted
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
  policies: 'values',
  cases: 'values',
  against: 'value',
  context: 'value',
  'etcd-prefix': 'value',
  'skip-hash-check': 'switch',
  'encryption-provider-config': 'value',
  as: 'value',
  'as-group': 'values',
  'field-manager': 'value',
  'force-conflicts': 'switch',
  webhook: 'values',
  namespace: 'value',
  'as-given': 'switch',
  strict: 'switch',
  'show-defaults': 'switch',
  diff: 'switch',
  watch: 'switch',
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
export async function runCheck(argv: readonly string[], { out, err }: Streams): Promise<number> {
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
  const checkOnce = async (): Promise<number> => {
    const { result, input } = await checkInput(options)
    out(boundedReport(format, { result, failOn, texts: new Map(textsOf(input).map(text => [text.name, text])) }))
    return isFailed(result, failOn) ? 1 : 0
  }
  return given.isOn('watch') ? watched(options, checkOnce, err) : checkOnce()
}

/** Message of the RangeError of V8 for a text that is longer than a string can be. */
const TOO_LONG = 'Invalid string length'

/** Prints a report. Throws ArgumentError if its text is longer than a string can be (512 MiB). */
export function boundedReport(format: (report: CheckReport) => string, report: CheckReport): string {
  try {
    return format(report)
  } catch (error) {
    if (!(error instanceof RangeError) || error.message !== TOO_LONG) throw error
    const { length } = report.result.findings
    throw new ArgumentError(`the report of ${length} findings is too long for this format: check fewer files at once or use --output text`)
  }
}

/**
 * Checks at each change until the process is interrupted. Errors of files are printed, since the next change may
 * correct them. Resolves with the last status.
 */
async function watched(
  { paths = [], crds = [], policies = [], cases = [] }: CheckOptions,
  checkOnce: () => Promise<number>,
  err: Streams['err'],
): Promise<number> {
  const files = [...paths, ...crds, ...policies, ...cases]
  if (files.includes('-')) throw new ArgumentError('--watch: standard input cannot be read twice')
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  let status = 0
  const run = async (): Promise<void> => {
    try {
      status = await checkOnce()
    } catch (error) {
      status = 2
      err(`Error: ${printable(errorMessage(error))}\n`)
    }
  }
  await runAtChanges(files, run, interrupted.signal)
  return status
}

function severityOf(text: string): CheckSeverity {
  const severity = SEVERITIES.find(each => each === text)
  if (severity === undefined) throw new ArgumentError(`--fail-on ${text}: not one of ${SEVERITIES.join(', ')}`)
  return severity
}

/** Converts flags to options. Throws ArgumentError. */
function optionsOf(given: Arguments): CheckOptions {
  const paths = given.values('filename')
  if (paths.length === 0 && given.values('cases').length === 0)
    throw new ArgumentError('-f is needed: a file, a folder, or - for standard input')
  const named = [paths, given.values('crds'), given.values('policies'), given.values('cases')].flat()
  if (named.filter(path => path === '-').length > 1) throw new ArgumentError('standard input (-) can be read only once')
  const release = given.value('release')
  return {
    paths,
    crds: given.values('crds'),
    policies: given.values('policies'),
    cases: given.values('cases'),
    ...(release !== undefined && { release: releaseOf(release) }),
    ...textOptions(given),
    gates: gatesOf(given.value('feature-gates') ?? ''),
    webhooks: webhooksOf(given.values('webhook')),
    asGroups: given.values('as-group'),
    asGiven: given.isOn('as-given'),
    strict: given.isOn('strict'),
    showDefaults: given.isOn('show-defaults'),
    diff: given.isOn('diff'),
    skipHashCheck: given.isOn('skip-hash-check'),
    forceConflicts: given.isOn('force-conflicts'),
  }
}

/** Options with a text, by their flags. */
const TEXTS = {
  namespace: 'namespace',
  'runtime-config': 'runtimeConfig',
  against: 'against',
  context: 'context',
  'etcd-prefix': 'etcdPrefix',
  'encryption-provider-config': 'encryptionProviderConfig',
  as: 'as',
  'field-manager': 'fieldManager',
} as const satisfies Readonly<Record<string, keyof CheckOptions>>

function textOptions(given: Arguments): CheckOptions {
  const options: Partial<Record<(typeof TEXTS)[keyof typeof TEXTS], string>> = {}
  for (const [flag, option] of Object.entries(TEXTS)) {
    const value = given.value(flag)
    if (value !== undefined) options[option] = value
  }
  return options
}

/** Parses `NAME=URL`. Throws ArgumentError. */
function webhooksOf(values: readonly string[]): Record<string, string> {
  const webhooks: Record<string, string> = {}
  for (const value of values) {
    const [, name = '', url = ''] = /^([^=]+)=(https?:\/\/.+)$/.exec(value) ?? []
    if (!URL.canParse(url)) throw new ArgumentError(`--webhook ${value}: must be NAME=URL`)
    webhooks[name] = url
  }
  return webhooks
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
