import { type JsonObject, objectIn } from '../api/meta/object.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { lifecycleOf } from '../lifecycle/lifecycle.ts'
import type { Release } from '../lifecycle/release.ts'
import { isDns1123Label, nameIsPathSegment } from '../meta/names.ts'
import { sameJson } from '../meta/same-json.ts'
import { standingIn } from '../upgrade/versions/old-versions.ts'
import { ReleaseKinds } from '../upgrade/versions/release-kinds.ts'
import { type AppliedObject, type ApplyClients, type ApplyOptions, applyObject } from './apply-object.ts'
import { withoutWriteMetadata, yamlDiff } from './diff.ts'
import { changeFindings } from './findings/changes.ts'
import { duplicateFindings } from './findings/duplicates.ts'
import { checkedName, objectFinding } from './findings/finding.ts'
import { NAMESPACE_ADVICE } from './findings/refusal.ts'
import { adviceOf, warningFindings } from './findings/warnings.ts'
import { type ForkResponse, resourcePath } from './fork/fork-client.ts'
import type { Fork } from './fork/open-fork.ts'
import { type InputObject, locationPosition } from './input/input-object.ts'
import { locateField } from './input/position.ts'
import { affectsAdmission } from './order.ts'
import type { PlacedObject } from './placed-object.ts'
import { podFindings } from './pods.ts'
import type { GivenObject } from './references/created-later.ts'
import { maskedSecret } from './secret-values.ts'
import { successorOf } from './successor.ts'
import type { CheckedObject, CheckFinding } from './types.ts'
import type { WebhookReviews } from './webhook-reviews.ts'

export interface CheckerOptions extends ApplyOptions {
  /** Namespace of objects that name none. */
  readonly namespace: string
  /** Whether the fork has the objects of a cluster. */
  readonly hasCluster: boolean
  /** Whether the fork has all definitions of a cluster. */
  readonly knowsKinds: boolean
  readonly strict: boolean
  /** Whether the pods of workloads are sent through admission. */
  readonly checksPods: boolean
  readonly showDefaults: boolean
  readonly diff: boolean
}

export interface CheckerParts extends ApplyClients {
  readonly fork: Fork
  readonly reviews: WebhookReviews
  readonly options: CheckerOptions
}

/** Applies objects to a fork one after the other, and collects findings. */
export class Checker {
  readonly findings: CheckFinding[] = []
  readonly placed: PlacedObject[] = []
  /** Objects whose kinds the fork does not serve. */
  readonly unserved: GivenObject[] = []
  readonly #parts: CheckerParts
  readonly #release: Release
  /** Conversions of removed versions. */
  #kinds: ReleaseKinds | undefined
  /** Kind of the last write, if admission of other objects depends on it. */
  #unsettled: string | undefined
  /** Namespaces that exist, and those that were created because they did not. */
  readonly #present = new Set<string>()
  readonly #missing = new Set<string>()
  readonly #seen = new Map<string, InputObject>()

  constructor(parts: CheckerParts) {
    this.#parts = parts
    this.#release = parts.fork.gates.release
  }

  /** Applies an object. Resolves with the response of the server. */
  async check(given: InputObject): Promise<CheckedObject> {
    const { fork, options } = this.#parts
    await this.#settleFor(given)
    const served = fork.served(given.apiVersion, given.kind)
    if (served === undefined) return this.#unknown(given)
    const namespace = served.definition.scope === 'Namespaced' ? given.namespace || options.namespace : ''
    const object = { ...given, namespace }
    const faults = nameIsPathSegment(namespace, false)
    if (faults.length > 0) return this.#unsent(object, `invalid namespace ${JSON.stringify(namespace)}: [${faults.join(' ')}]`)
    const refusal = await this.#ensureNamespace(object, namespace)
    this.#noteRepeated(object, served, namespace)
    const result = await this.#apply(object, served, namespace)
    const { first, last, before } = result
    this.placed.push({ object, served, namespace, before, response: last })
    // Custom objects may be parameters of policies.
    const isParameter = options.checksPods && lifecycleOf(object.apiVersion, object.kind) === undefined
    if (isParameter || affectsAdmission(object)) this.#unsettled = `${object.apiVersion} ${object.kind}`
    if (object.kind === 'CustomResourceDefinition' && last.object && !last.error) await this.#withoutConversion(last.object)
    const { error = refusal } = first
    return {
      ...checkedName(object),
      verdict: error ? 'refused' : verdictOf(before, first),
      code: error ? error.code : first.code,
      ...(error && { message: error.message ?? '' }),
      position: locationPosition(object, locateField(object.node, '')),
      ...(options.diff && { diff: diffOf(result, object) }),
    }
  }

  /** Refuses an object as kubectl does if no request can name its namespace. */
  #unsent(object: InputObject, message: string): CheckedObject {
    this.findings.push(objectFinding(object, 'invalid-value', 'error', message, { field: 'metadata.namespace', advice: NAMESPACE_ADVICE }))
    return {
      ...checkedName(object),
      verdict: 'refused',
      code: 0,
      message,
      position: locationPosition(object, locateField(object.node, '')),
    }
  }

  /**
   * Forgets the objects that were applied so far, and findings about them other than errors: they exist before the
   * check.
   */
  forget(): void {
    const errors = this.findings.filter(({ severity }) => severity === 'error')
    this.findings.splice(0, this.findings.length, ...errors)
    this.placed.length = 0
    this.#seen.clear()
  }

  /** Resolves when admission has seen all writes. */
  async settle(): Promise<void> {
    await this.#parts.fork.settled()
    this.#unsettled = undefined
  }

  async #settleFor({ apiVersion, kind }: InputObject): Promise<void> {
    if (this.#unsettled !== undefined && this.#unsettled !== `${apiVersion} ${kind}`) await this.settle()
  }

  async #apply(object: InputObject, served: ServedResource, namespace: string): Promise<AppliedObject> {
    const { reviews, options } = this.#parts
    reviews.current = object
    try {
      const result = await applyObject(this.#parts, object, { served, namespace }, options)
      this.findings.push(
        ...duplicateFindings(object, options.strict ? 'error' : 'warning'),
        ...result.findings,
        ...warningFindings(object, result.last.warnings, result.steps, this.#release),
        ...changeFindings(object, result.steps, options.showDefaults),
      )
      return result
    } finally {
      reviews.current = undefined
    }
  }

  /**
   * Checks the pods of all workloads. Their controllers create them again until admission allows them, so that objects
   * that came later count as well.
   */
  async checkPods(): Promise<void> {
    const { admin, reviews, options } = this.#parts
    if (!options.checksPods) return
    await this.settle()
    for (const placed of this.placed) {
      reviews.current = placed.object
      try {
        this.findings.push(...(await podFindings(placed, { admin, strict: options.strict })))
      } finally {
        reviews.current = undefined
      }
    }
  }

  /**
   * Reports a kind that the fork does not serve. An object in a removed version is checked as what the version that
   * replaces it would say.
   */
  async #unknown(object: InputObject): Promise<CheckedObject> {
    const { options, fork } = this.#parts
    this.unserved.push({ object, namespace: object.namespace || options.namespace })
    const standing = standingIn(this.#release, object)
    const message = `no matches for kind "${object.kind}" in version "${object.apiVersion}"`
    const severity = options.strict || options.knowsKinds ? 'error' : 'warning'
    if (standing?.state === 'removed') {
      this.findings.push(
        objectFinding(object, 'removed-version', 'error', standing.warning, {
          field: 'apiVersion',
          advice: adviceOf(object, this.#release),
        }),
      )
      await this.#checkSuccessor(object)
    } else if (standing?.state === 'not yet')
      this.findings.push(
        objectFinding(object, 'missing-version', 'error', standing.warning, {
          field: 'apiVersion',
          advice: 'use a version that the release serves, or a later release',
        }),
      )
    else if (standing)
      this.findings.push(
        objectFinding(object, 'unknown-kind', 'error', message, {
          field: 'kind',
          advice: `${object.apiVersion} is not served by default: enable it with runtime-config, or use another version`,
        }),
      )
    else {
      const isOfClient = FILES_OF_CLIENTS.test(object.apiVersion)
      const advice = isOfClient ? 'this is a file of another program, and no API object' : unknownAdvice(object, fork)
      this.findings.push(objectFinding(object, 'unknown-kind', isOfClient ? 'note' : severity, message, { field: 'kind', advice }))
    }
    return {
      ...checkedName(object),
      verdict: 'unknown',
      code: 0,
      message,
      position: locationPosition(object, locateField(object.node, '')),
    }
  }

  async #checkSuccessor(object: InputObject): Promise<void> {
    this.#kinds ??= new ReleaseKinds(this.#release)
    const successor = successorOf(this.#kinds, object)
    this.findings.push(...successor.findings)
    if (successor.object) await this.check(successor.object)
  }

  /**
   * Creates a missing namespace, so that the objects in it can be checked. Returns the server's error if the namespaces
   * of the server are known.
   */
  async #ensureNamespace(
    object: InputObject,
    namespace: string,
  ): Promise<{ readonly code: number; readonly message?: string } | undefined> {
    const { admin, fork, options } = this.#parts
    const namespaces = fork.served('v1', 'Namespace')
    if (namespace === '' || namespaces === undefined) return undefined
    // No namespace can have such a name: the server says that it is not found.
    if (isDns1123Label(namespace).length > 0) return undefined
    if (this.#present.has(namespace)) return undefined
    if (!this.#missing.has(namespace)) {
      if ((await admin.get(namespaces, '', namespace)) !== undefined) {
        this.#present.add(namespace)
        return undefined
      }
      this.#missing.add(namespace)
      const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }))
      await admin.send({ method: 'POST', path: resourcePath(namespaces, ''), contentType: 'application/json', body })
      await this.settle()
    }
    const message = `namespaces "${namespace}" not found`
    const isError = options.hasCluster || options.strict
    this.findings.push(
      objectFinding(object, 'missing-namespace', isError ? 'error' : 'warning', message, {
        field: 'metadata.namespace',
        advice: 'add the Namespace to the input, or create it first',
      }),
    )
    return isError ? { code: 404, message } : undefined
  }

  #noteRepeated(object: InputObject, served: ServedResource, namespace: string): void {
    if (object.name === '') return
    const key = resourcePath(served, namespace, object.name)
    const other = this.#seen.get(key)
    this.#seen.set(key, object)
    if (other === undefined) return
    const { file, line } = locationPosition(other, locateField(other.node, ''))
    this.findings.push(
      objectFinding(
        object,
        'repeated-object',
        'warning',
        `this object is already in the input, at ${file}:${line}: the later one changes it`,
        {
          field: 'metadata.name',
        },
      ),
    )
  }

  /**
   * Lets a definition convert without its webhook, which cannot be called. Versions then differ in nothing but their
   * names.
   */
  async #withoutConversion({ metadata, spec }: JsonObject): Promise<void> {
    const { admin, fork } = this.#parts
    const definitions = fork.served('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    if (definitions === undefined || objectIn(objectIn(spec).conversion).strategy !== 'Webhook') return
    await admin.send({
      method: 'PATCH',
      path: resourcePath(definitions, '', String(objectIn(metadata).name)),
      contentType: 'application/merge-patch+json',
      body: Buffer.from(JSON.stringify({ spec: { conversion: { strategy: 'None', webhook: null } } })),
    })
  }
}

/** Versions of files that command lines and components read, and no server. */
const FILES_OF_CLIENTS =
  /^(?:builtin$|skaffold\/|kuttl\.dev\/|binnacle\.dev\/|cli\.kyverno\.io\/|chainsaw\.kyverno\.io\/|test\.gatekeeper\.sh\/|kubeadm\.k8s\.io\/|(?:[a-z]+\.)+config\.k8s\.io\/|client\.authentication\.k8s\.io\/)/

/** Groups of Kubernetes itself, whose kinds have no definitions. */
const BUILTIN_GROUP = /^(?:v\d\w*|(?:apps|autoscaling|batch|extensions|policy|[a-z.]+\.k8s\.io)\/\w+)$/

function unknownAdvice({ apiVersion, kind }: InputObject, { plane }: Fork): string {
  const kinds = plane.registry.catalog.snapshot().resourcesOf(apiVersion)
  const near = nearest(
    kind,
    kinds.map(({ version }) => version.kind),
  )
  if (near !== undefined) return `did you mean ${near}?`
  return kinds.length > 0 && BUILTIN_GROUP.test(apiVersion)
    ? `${apiVersion} has no such kind`
    : 'pass its CustomResourceDefinition with --crds'
}

function verdictOf(before: JsonObject | undefined, after: ForkResponse): CheckedObject['verdict'] {
  if (before === undefined) return 'created'
  const { object } = after
  if (object === undefined || objectIn(before.metadata).resourceVersion === objectIn(object.metadata).resourceVersion) return 'unchanged'
  return sameJson(withoutWriteMetadata(before), withoutWriteMetadata(object)) ? 'unchanged' : 'configured'
}

/** Diff of the stored object. The values of a Secret are replaced by their lengths. */
function diffOf({ before, last }: AppliedObject, { kind, name }: InputObject): string {
  const shown = (object: JsonObject | undefined): JsonObject | undefined =>
    object && withoutWriteMetadata(kind === 'Secret' ? maskedSecret(object) : object)
  return yamlDiff(shown(before), shown(last.object), [`a/${kind}/${name}`, `b/${kind}/${name}`])
}
