import { ArgumentError } from '../lib/arguments.ts'
import { DEFAULT_RELEASE, previewWarning, RELEASE_RANGE, RELEASES, type Release } from '../lifecycle/release.ts'
import type { User } from '../meta/context.ts'
import { boundedAtOnce } from '../meta/error-bound.ts'
import { fieldPath } from '../meta/field-path.ts'
import { isDns1123Label } from '../meta/names.ts'
import { validateFieldManager } from '../meta/object-meta-validation.ts'
import type { Flags } from '../process/in-process.ts'
import { createDumpedNamespaces } from './against/dump-namespaces.ts'
import { type ClusterSource, readCluster } from './against/read-cluster.ts'
import type { CaseSuite } from './cases/policy-case.ts'
import { readSuites } from './cases/read-suites.ts'
import { runSuite } from './cases/run-cases.ts'
import { Checker } from './checker.ts'
import { typeCheckFindings } from './findings/type-checks.ts'
import { ADMIN, ForkClient } from './fork/fork-client.ts'
import { type Fork, openFork } from './fork/open-fork.ts'
import { type Input, textsOf } from './input/input-object.ts'
import { readInput, readTexts } from './input/read-input.ts'
import { decidesOnPods, inOrder } from './order.ts'
import { ReferenceCheck } from './references/check-references.ts'
import type { CaseResult, CheckedObject, CheckFinding, CheckOptions, CheckResult } from './types.ts'
import { WebhookReviews } from './webhook-reviews.ts'

/** Input with its texts, of which outputs show lines. */
export interface CheckedInput {
  readonly result: CheckResult
  readonly input: Input
}

/** Checks manifests, and returns the result with the texts of the input. Rejects like `check`. */
export async function checkInput(options: CheckOptions): Promise<CheckedInput> {
  const { paths = [], texts = {}, crds = [], policies = [], cases = [], against } = options
  refuseNames(options)
  const input = joinedInputs(readInput(paths), readTexts(texts))
  const given = readInput([...crds, ...policies])
  const suites = readSuites(cases)
  const cluster = against === undefined ? undefined : await readCluster(clusterSource(against, options))
  const fork = await openFork({ flags: flagsOf(options, cluster?.release), tables: cluster?.tables })
  try {
    if (cluster && !cluster.isComplete) await createDumpedNamespaces(fork, cluster.tables)
    const result = await checkOn(
      fork,
      { input, given },
      { ...options, hasCluster: cluster !== undefined, knowsKinds: cluster?.isComplete === true },
    )
    const tested = await runSuites(suites, given, options)
    return {
      input: joinedInputs(given, input),
      result: { ...result, cases: tested, remarks: [...(cluster?.remarks ?? []), ...result.remarks] },
    }
  } finally {
    await fork.close()
  }
}

/** Throws ArgumentError for names that would make each object a finding: of the namespace, the user and the manager. */
function refuseNames({ namespace = 'default', as, fieldManager = 'kubectl' }: CheckOptions): void {
  const [fault] = isDns1123Label(namespace)
  if (fault !== undefined) throw new ArgumentError(`--namespace "${namespace}": ${fault}`)
  if (as === '') throw new ArgumentError('--as "": must be the name of a user')
  if (fieldManager === '') throw new ArgumentError('--field-manager "": must be the name of a manager')
  const [error] = boundedAtOnce(() => validateFieldManager(fieldManager, fieldPath('--field-manager')))
  if (error) throw new ArgumentError(`${error.field}: ${error.body}`)
}

/** Runs each suite on a fork of its own. */
async function runSuites(suites: readonly CaseSuite[], given: Input, options: CheckOptions): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  const policies = inOrder(given.objects).map(({ value, apiVersion, kind }) => ({ ...value, apiVersion, kind }))
  for (const suite of suites) {
    const fork = await openFork({ flags: flagsOf(options, undefined) })
    try {
      const { namespace = 'default', webhooks = {} } = options
      results.push(...(await runSuite(suite, { fork, namespace, policies, reviews: new WebhookReviews(webhooks) })))
    } finally {
      await fork.close()
    }
  }
  return results
}

const clusterSource = (
  path: string,
  { context, release, skipHashCheck = false, etcdPrefix = '/registry' }: CheckOptions,
): ClusterSource => ({
  path,
  context,
  release: release === undefined ? undefined : releaseOption(release),
  defaultRelease: DEFAULT_RELEASE,
  skipHashCheck,
  prefix: etcdPrefix,
})

function releaseOption(text: string): Release {
  const release = RELEASES.find(each => each === text)
  if (release === undefined) throw new ArgumentError(`release ${text}: not one of ${RELEASE_RANGE}`)
  return release
}

function flagsOf(
  { gates = {}, runtimeConfig, encryptionProviderConfig, etcdPrefix, ...options }: CheckOptions,
  ofCluster: Release | undefined,
): Flags {
  const release = options.release ?? ofCluster ?? DEFAULT_RELEASE
  const chosen = Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`)
  return {
    'emulated-version': release,
    ...(chosen.length > 0 && { 'feature-gates': chosen.join(',') }),
    ...(runtimeConfig !== undefined && { 'runtime-config': runtimeConfig }),
    ...(encryptionProviderConfig !== undefined && { 'encryption-provider-config': encryptionProviderConfig }),
    ...(etcdPrefix !== undefined && { 'etcd-prefix': etcdPrefix }),
  }
}

/** Options of a check on a fork. */
interface ForkCheckOptions extends CheckOptions {
  readonly hasCluster: boolean
  /** Whether the fork has all definitions of the cluster. */
  readonly knowsKinds: boolean
}

interface CheckInputs {
  /** Objects that are checked. */
  readonly input: Input
  /** Objects that exist before, of which only errors are reported. */
  readonly given: Input
}

async function checkOn(fork: Fork, { input, given }: CheckInputs, options: ForkCheckOptions): Promise<CheckResult> {
  const {
    namespace = 'default',
    strict = false,
    showDefaults = false,
    diff = false,
    asGiven = false,
    fieldManager = 'kubectl',
    forceConflicts = false,
    webhooks = {},
  } = options
  const { hasCluster, knowsKinds } = options
  const reviews = new WebhookReviews(webhooks)
  const clientOf = (user: User): ForkClient =>
    new ForkClient({ fork, user, userAgent: 'kubectl', comparesAll: showDefaults, reviewInstead: reviews.review })
  const admin = clientOf(ADMIN)
  const checker = new Checker({
    fork,
    client: clientOf(userOf(options)),
    admin,
    reviews,
    options: {
      namespace,
      strict,
      showDefaults,
      diff,
      fieldManager,
      forceConflicts,
      mayExist: hasCluster,
      knowsKinds,
      hasCluster,
      checksPods: hasCluster || [...given.objects, ...input.objects].some(decidesOnPods),
    },
  })
  for (const object of inOrder(given.objects)) await checker.check(object)
  checker.forget()
  const objects: CheckedObject[] = []
  for (const object of asGiven ? input.objects : inOrder(input.objects)) objects.push(await checker.check(object))
  await checker.checkPods()
  const references = await new ReferenceCheck(checker.placed, { unserved: checker.unserved, fork, admin, strict, hasCluster }).findings()
  await checker.settle()
  const types = await typeCheckFindings(checker.placed, admin)
  const preview = previewWarning(fork.gates.release)
  const faults = [...given.faults, ...input.faults].map(
    ({ rule, ...fault }): CheckFinding => ({ rule, severity: rule === 'not-an-object' ? 'warning' : 'error', ...fault }),
  )
  return {
    release: fork.gates.release,
    objects: objects.toSorted(byPosition(input)),
    findings: [...faults, ...checker.findings, ...types, ...references, ...reviews.findings()].toSorted(
      byPosition(joinedInputs(given, input)),
    ),
    cases: [],
    remarks: [...(preview === undefined ? [] : [preview]), ...input.remarks],
  }
}

/** Compares by the order of the files in the input, then by position. Findings without a position come first. */
function byPosition(input: Input): (a: Pick<CheckFinding, 'position'>, b: Pick<CheckFinding, 'position'>) => number {
  const places = new Map(textsOf(input).map(({ name }, i) => [name, i]))
  const place = ({ position }: Pick<CheckFinding, 'position'>): number => (position === undefined ? -1 : (places.get(position.file) ?? 0))
  return (a, b) =>
    place(a) - place(b) || (a.position?.line ?? 0) - (b.position?.line ?? 0) || (a.position?.column ?? 0) - (b.position?.column ?? 0)
}

/** Returns the user of requests: the administrator, or the user and groups of `as`. */
function userOf({ as, asGroups = [] }: CheckOptions): User {
  if (as === undefined) return ADMIN
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(as) ?? []
  const ofAccount = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return { name: as, groups: [...asGroups, ...ofAccount, 'system:authenticated'] }
}

const joinedInputs = (...inputs: readonly Input[]): Input => ({
  texts: inputs.flatMap(({ texts }) => texts),
  objects: inputs.flatMap(({ objects }) => objects),
  faults: inputs.flatMap(({ faults }) => faults),
  remarks: inputs.flatMap(({ remarks }) => remarks),
  builds: inputs.flatMap(({ builds }) => builds),
})
