import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PluginConfigurations } from '../../../../src/admission/configuration-file.ts'
import type { JsonObject, KubeObject } from '../../../../src/api/meta/object.ts'
import { Catalog } from '../../../../src/catalog/catalog.ts'
import type { ResourceDefinition } from '../../../../src/catalog/definition.ts'
import { AdmissionReads, compiledPlugins } from '../../../../src/control-plane/admission-plugins.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { systemRandomness } from '../../../../src/lib/randomness.ts'
import type { Authorizer } from '../../../../src/meta/authorizer.ts'
import type { RequestAttributes, User } from '../../../../src/meta/context.ts'
import { isStatusError, notFoundError } from '../../../../src/meta/status.ts'
import type { RegistryReader } from '../../../../src/registry/registry-reader.ts'
import type { AdmissionRequest, Operation } from '../../../../src/registry/types.ts'
import { PodSecurityMetrics } from '../../../../src/resources/core/pod-security/metrics.ts'
import { decode } from '../../../../src/schema/decode.ts'
import { featuresIn } from '../../../support/hook-context.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'
import { patience } from '../../../support/waiting.ts'

/** A check that upstream's plugin sent to its authorizer, and the decision: 0 deny, 1 allow, 2 no opinion. */
interface Asked {
  readonly attributes: Record<string, string | boolean>
  readonly decision: number
  readonly reason?: string
  readonly error?: string
}

/** A call of a plugin recorded from upstream's own tests. */
interface Case {
  readonly plugin: keyof ReturnType<typeof compiledPlugins>
  readonly test: string
  readonly phase: 'admit' | 'validate'
  readonly operation: Operation
  readonly group?: string
  readonly version?: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly dryRun?: boolean
  readonly user?: Partial<User>
  readonly options?: JsonObject
  readonly gates?: Record<string, boolean>
  readonly state?: Readonly<Record<string, unknown>>
  readonly object?: JsonObject
  readonly old?: JsonObject
  readonly authz?: readonly Asked[]
  readonly after?: JsonObject
  readonly error?: string
  readonly code?: number
  /** A call of a function within the plugin. */
  readonly direct?: boolean
}

const FILE = join(import.meta.dirname, '../../../fixtures/admission/plugin-calls-1.33.jsonl')
const cases: readonly Case[] = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line))

const RUNTIME = { 'api/all': true }
const definitions = servedBuiltins(RUNTIME, {
  ClusterTrustBundle: true,
  ClusterTrustBundleProjection: true,
  DynamicResourceAllocation: true,
})
const catalog = new Catalog(definitions)

const definitionOf = (group: string, plural: string): ResourceDefinition | undefined =>
  definitions.find(({ hub }) => hub.group === group && hub.names.plural === plural)

/** Decodes as hooks see it, without defaults, because upstream's tests use objects as they are. */
function hubObject(given: JsonObject | undefined): KubeObject | undefined {
  if (!given) return undefined
  const { apiVersion, kind } = given
  const [version, group = ''] = `${apiVersion}`.split('/').reverse()
  const found = definitions
    .flatMap(({ versions }) => versions)
    .find(each => each.kind === kind && each.group === group && each.name === version)
  const object = { metadata: {}, ...(found ? decode(found.schema, given, { keepEmpty: true }) : structuredClone(given)) }
  return { ...object, apiVersion, kind } as unknown as KubeObject
}

/**
 * Where upstream's tests call a function of RuntimeClass, its class is that of the pod. Limits to mountable secrets are
 * a field of the plugin that its tests alone set, and an annotation of the account.
 */
function adapted(given: Case): Case {
  const { plugin, state, object } = structuredClone(given) as { plugin: string; state?: Record<string, JsonObject[]>; object?: JsonObject }
  if (plugin === 'RuntimeClass' && given.direct && object && state?.classes?.[0]) {
    const { metadata } = state.classes[0] as { metadata: JsonObject }
    const spec = { ...(object.spec as JsonObject), runtimeClassName: metadata.name ?? '' }
    const after = given.after && { ...given.after, spec: { ...(given.after.spec as JsonObject), runtimeClassName: metadata.name ?? '' } }
    metadata.name ??= ''
    return { ...given, state, object: { ...object, spec }, ...(after && { after }) } as Case
  }
  if (plugin === 'ServiceAccount' && given.state?.limit === true) {
    for (const account of [...(state?.accounts ?? []), ...(state?.live ?? [])])
      (account.metadata as JsonObject).annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' }
    return { ...given, ...(state && { state }) }
  }
  return given
}

const listsOf = (state: Case['state'] = {}): KubeObject[] =>
  Object.values(state).flatMap(list => (Array.isArray(list) ? list.flatMap(item => hubObject(item) ?? []) : []))

function readerOf(state: Case['state']): RegistryReader {
  const objects = listsOf(state)
  const isOf = (id: { group: string; resource: string }) => (object: KubeObject) => {
    const hub = definitionOf(id.group, id.resource)?.hub
    return hub?.kind === object.kind && object.apiVersion === (hub?.group ? `${hub.group}/${hub.name}` : 'v1')
  }
  const get = async (id: { group: string; resource: string }, namespace: string, name: string) => {
    const found = objects.filter(isOf(id)).find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace)
    if (!found) throw notFoundError(id, name)
    return found
  }
  const list = (id: { group: string; resource: string }, namespace: string) =>
    objects.filter(isOf(id)).filter(({ metadata }) => namespace === '' || (metadata.namespace ?? '') === namespace)
  return {
    cachedObject: get,
    cachedObjects: list,
    access: { get, list: async (...args: Parameters<typeof list>) => ({ items: list(...args) }) },
  } as unknown as RegistryReader
}

const ANSWERS = ['deny', 'allow', 'no opinion'] as const

function questionOf({ verb, ...asked }: RequestAttributes): Record<string, string | boolean> {
  if (!asked.isResource) return { verb, path: asked.path }
  const { namespace, group, resource, subresource, name } = asked
  return { verb, namespace, group, resource, subresource, name }
}

function authorizerOf(authz: readonly Asked[] = []): Authorizer {
  return {
    authorize: async (_user, asked) => {
      const question = questionOf(asked)
      const found = authz.find(({ attributes }) => Object.entries(question).every(([name, value]) => attributes[name] === value))
      if (!found) throw new Error(`upstream does not ask ${JSON.stringify(question)}`)
      const { decision, reason = '', error } = found
      return { decision: error === undefined ? (ANSWERS[decision] ?? 'no opinion') : 'no opinion', reason, ...(error && { error }) }
    },
  }
}
const gatesOf = ({ gates = {}, state = {} }: Case): Record<string, boolean> => ({
  ...gates,
  ...(typeof state.dra === 'boolean' && {
    DynamicResourceAllocation: state.dra,
    AllowInsecureKubeletCertificateSigningRequests: state.insecure === true,
    RecoverVolumeExpansionFailure: state.expansion === true,
    ServiceAccountNodeAudienceRestriction: state.audiences === true,
  }),
  ...(typeof state.enabled === 'boolean' && { PodTopologyLabelsAdmission: state.enabled }),
})

function configurationsOf({ plugin, state: { config } = {} }: Case): PluginConfigurations {
  if (config === undefined) return new Map()
  const texts: Record<string, unknown> = {
    PodNodeSelector: { podNodeSelectorPluginConfig: config },
    PodTolerationRestriction: {
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      ...(config as object),
    },
  }
  return new Map([[plugin, Buffer.from(JSON.stringify(texts[plugin] ?? {}))]])
}

interface Outcome {
  readonly after?: unknown
  readonly error?: string
  readonly code?: number
}

async function outcome(given: Case): Promise<Outcome> {
  const { plugin: name, phase, operation, group = '', resource, subresource = '', namespace = '', dryRun = false, options, user } = given
  const definition =
    definitionOf(group, resource) ?? ({ hub: { group, kind: '', names: { plural: resource } } } as unknown as ResourceDefinition)
  const created: string[] = []
  const features = featuresIn('1.33', gatesOf(given))
  const plugins = compiledPlugins({
    reads: new AdmissionReads(readerOf(given.state)),
    catalog,
    authorizer: authorizerOf(given.authz),
    features,
    clock: systemClock,
    random: systemRandomness,
    configurations: configurationsOf(given),
    podSecurityMetrics: new PodSecurityMetrics('1.33'),
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    requireServiceAccounts: true,
    createNamespace: async created_ => created.push(created_),
    imagePolicy: undefined,
  })
  const plugin = plugins[name]()
  const [object, old] = [hubObject(given.object), hubObject(given.old)]
  const request = {
    ctx: { user: { name: '', groups: [], ...user }, signal: patience(), warn: () => {} },
    operation,
    served: { definition, version: definition.hub },
    subresource,
    namespace,
    name: given.name ?? '',
    dryRun,
    options,
    ...(object && { object }),
    ...(old && { old }),
  } as unknown as AdmissionRequest
  try {
    if (!plugin.handles(request)) return { after: object }
    if (phase === 'admit') return { after: (await plugin.mutate?.(request)) ?? object }
    await plugin.validate?.(request)
    return { after: object }
  } catch (error) {
    if (isStatusError(error)) return { error: error.status.message ?? '', code: error.status.code ?? 0 }
    throw error
  }
}

/** Generated names of volumes end in random letters. */
const unnumbered = (object: unknown): unknown =>
  JSON.parse(JSON.stringify(object ?? null).replaceAll(/kube-api-access-\w+/g, 'kube-api-access-x'))

/** Upstream iterates maps, so several errors are in no particular order. */
const sorted = (error: string | undefined): string | undefined =>
  error?.replace(/\[(.*, .*)\]$/, (_, list: string) => `[${list.split(', ').toSorted().join(', ')}]`)

describe("calls of admission plugins recorded from upstream's tests", () => {
  for (const [i, given] of cases.map(adapted).entries())
    it(`${i} ${given.plugin} ${given.test} ${given.phase} ${given.operation} ${given.resource} ${given.error ?? ''}`, async () => {
      const { error, code, after } = await outcome(given)
      const wordsOf = (text: string | undefined) => sorted(given.direct ? text?.replace(/^\S+ "[^"]*" is forbidden: /, '') : text)
      expect(wordsOf(error)).to.equal(wordsOf(given.error))
      if (given.code !== undefined) expect(code).to.equal(given.code)
      else if (error === undefined) expect(unnumbered(after)).to.deep.equal(unnumbered(hubObject(given.after ?? given.object)))
    })
})
