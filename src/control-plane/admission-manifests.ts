import type { ManifestPluginName } from '../admission/manifests/manifest-directories.ts'
import type { ManifestDocument } from '../admission/manifests/manifest-files.ts'
import { ManifestMetrics } from '../admission/manifests/manifest-metrics.ts'
import {
  checkBinding,
  checkNames,
  checkPolicy,
  checkReferences,
  checkWebhooks,
  type ManifestObject,
} from '../admission/manifests/manifest-rules.ts'
import { ManifestSource } from '../admission/manifests/manifest-source.ts'
import type { CompiledPolicy, CompiledValidatingPolicy } from '../admission/policies/compiled-policy.ts'
import type { CompiledMutatingPolicy } from '../admission/policies/mutating/compiled-mutations.ts'
import type { AdmissionPolicy, PolicyBinding, PolicySpec } from '../admission/policies/policy.ts'
import type { PolicyIndex } from '../admission/policies/policy-index.ts'
import type { WebhookConfigurations } from '../admission/webhooks/configurations.ts'
import type { WebhookConfiguration } from '../admission/webhooks/webhook.ts'
import type { MutatingAdmissionPolicySpec, ValidatingAdmissionPolicySpec } from '../api/admissionregistration/v1.types.ts'
import type { KubeObject, TypedObject } from '../api/meta/object.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { asKind, type KindId } from '../catalog/define.ts'
import { POLICY_KINDS } from '../controllers/follow-policies.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS } from '../resources/kinds.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { ManifestDecoder } from './manifest-decoder.ts'
import { serverId } from './server-id.ts'

/** Parts of admission that manifests are put into. */
export interface ManifestTargets {
  readonly catalog: Catalog
  readonly webhooks: { readonly mutating: WebhookConfigurations; readonly validating: WebhookConfigurations }
  /** Undefined for policies that are not enabled. */
  readonly policies: {
    readonly mutating: PolicyIndex<MutatingAdmissionPolicySpec, CompiledMutatingPolicy> | undefined
    readonly validating: PolicyIndex<ValidatingAdmissionPolicySpec, CompiledValidatingPolicy> | undefined
  }
}

/** Webhooks and policies from files: `staticManifestsDir` of the admission configuration. KEP-5793. */
export class AdmissionManifests {
  readonly metrics: readonly MetricFamily[]
  readonly #sources: readonly ManifestSource[]

  constructor(
    { release, runtime, logger, admission }: Pick<ControlPlaneOptions, 'release' | 'runtime' | 'logger' | 'admission'>,
    targets: ManifestTargets,
  ) {
    const { clock } = runtime
    const { gates } = release
    const metrics = new ManifestMetrics(gates.enabled('APIServerIdentity') ? serverId() : '')
    const appliers = appliersOf(new ManifestDecoder({ catalog: targets.catalog, features: gates, clock }), targets)
    this.metrics = metrics.families
    this.#sources = [...(admission.manifests ?? [])].flatMap(([plugin, directory]) => {
      const apply = appliers[plugin]
      return apply ? [new ManifestSource({ plugin, directory, metrics, clock, logger, apply })] : []
    })
  }

  /** Loads all manifests. Rejects with AdmissionConfigError if one is invalid. */
  async load(): Promise<void> {
    for (const source of this.#sources) await source.load()
  }

  /** Reloads manifests that change, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map(source => source.follow(signal)))
  }
}

type Apply = (documents: readonly ManifestDocument[]) => Promise<void>

/** Returns the functions that put documents of each plugin into force. Undefined for plugins that are not enabled. */
const appliersOf = (
  decoder: ManifestDecoder,
  { webhooks, policies }: ManifestTargets,
): Readonly<Record<ManifestPluginName, Apply | undefined>> => ({
  MutatingAdmissionWebhook: applyWebhooks(decoder, MUTATING_WEBHOOKS, webhooks.mutating),
  ValidatingAdmissionWebhook: applyWebhooks(decoder, VALIDATING_WEBHOOKS, webhooks.validating),
  MutatingAdmissionPolicy: policies.mutating && applyPolicies(decoder, POLICY_KINDS.mutating, policies.mutating),
  ValidatingAdmissionPolicy: policies.validating && applyPolicies(decoder, POLICY_KINDS.validating, policies.validating),
})

const applyWebhooks =
  (decoder: ManifestDecoder, id: KindId<WebhookConfiguration>, configurations: WebhookConfigurations): Apply =>
  async documents => {
    const objects = typed(id, await decoder.objectsOf(documents, [id.resource]))
    checkNames(objects)
    for (const object of objects) checkWebhooks(object)
    configurations.setManifests(objects.map(({ object }) => object))
  }

const applyPolicies =
  <Spec extends PolicySpec, Compiled extends CompiledPolicy>(
    decoder: ManifestDecoder,
    kinds: { readonly policies: KindId<AdmissionPolicy<Spec>>; readonly bindings: KindId<PolicyBinding> },
    index: PolicyIndex<Spec, Compiled>,
  ): Apply =>
  async documents => {
    const objects = await decoder.objectsOf(documents, [kinds.policies.resource, kinds.bindings.resource])
    const isBinding = ({ object }: ManifestObject<KubeObject>): boolean => object.kind.endsWith('Binding')
    const policies = typed(
      kinds.policies,
      objects.filter(each => !isBinding(each)),
    )
    const bindings = typed(kinds.bindings, objects.filter(isBinding))
    for (const each of [policies, bindings]) checkNames(each)
    for (const policy of policies) checkPolicy(policy)
    for (const binding of bindings) checkBinding(binding)
    const bound = bindings.map(({ object }) => object)
    checkReferences(new Set(policies.map(({ object }) => object.metadata.name ?? '')), bound)
    index.setManifests(
      policies.map(({ object }) => object),
      bound,
    )
  }

/** Gives the objects the type of their kind. */
const typed = <T extends TypedObject>(id: KindId<T>, objects: readonly ManifestObject<KubeObject>[]): ManifestObject<T>[] =>
  objects.map(({ file, object }) => ({ file, object: asKind(id, object) }))
