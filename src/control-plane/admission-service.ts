import { randomUUID } from 'node:crypto'
import { type AdmissionPlugin, admissionChain } from '../admission/chain.ts'
import { authorizerOf } from '../admission/expressions/authorizer-variable.ts'
import { ConditionMetrics, type ConditionSubject } from '../admission/expressions/condition-metrics.ts'
import { AdmissionMetrics } from '../admission/metrics.ts'
import { type BuiltPluginName, isBuiltPlugin } from '../admission/plugin-names.ts'
import { compileValidatingPolicy } from '../admission/policies/compiled-policy.ts'
import { PolicyMetrics } from '../admission/policies/metrics.ts'
import { compileMutatingPolicy } from '../admission/policies/mutating/compiled-mutations.ts'
import { MutatingPolicyMetrics } from '../admission/policies/mutating/metrics.ts'
import { mutatingAdmissionPolicy } from '../admission/policies/mutating/plugin.ts'
import { paramReader } from '../admission/policies/param-reader.ts'
import { validatingAdmissionPolicy } from '../admission/policies/plugin.ts'
import type { ValidatingEnvironment } from '../admission/policies/policy-check.ts'
import { PolicyIndex } from '../admission/policies/policy-index.ts'
import type { PolicyEnvironment } from '../admission/policies/policy-request.ts'
import type { WebhookEnvironment } from '../admission/webhooks/call.ts'
import { WebhookClients } from '../admission/webhooks/client.ts'
import { WebhookConfigurations } from '../admission/webhooks/configurations.ts'
import type { WebhookPluginName } from '../admission/webhooks/credentials.ts'
import { WebhookMetrics } from '../admission/webhooks/metrics.ts'
import { mutatingWebhooks } from '../admission/webhooks/mutating.ts'
import { withoutReviews } from '../admission/webhooks/reviews.ts'
import type { ResolveService } from '../admission/webhooks/target.ts'
import { validatingWebhooks } from '../admission/webhooks/validating.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResourceAccess, ResourceId } from '../catalog/resource-access.ts'
import { types } from '../catalog/types.ts'
import { followPolicies, POLICY_KINDS } from '../controllers/follow-policies.ts'
import { followQuotas } from '../controllers/follow-quotas.ts'
import { followWebhooks } from '../controllers/follow-webhooks.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { GateName } from '../lifecycle/feature-gates.ts'
import type { Features } from '../lifecycle/gates.ts'
import { isSince } from '../lifecycle/release.ts'
import { builtInsOf } from '../registry/other-type.ts'
import type { RegistryReader } from '../registry/registry-reader.ts'
import type { AdmissionFunctions } from '../registry/types.ts'
import type { ImagePolicy } from '../resources/core/pod/image-policy/configuration.ts'
import { PodSecurityMetrics } from '../resources/core/pod-security/metrics.ts'
import { QuotaIndex } from '../resources/core/resource-quota/admission/quota-index.ts'
import { QuotaReservations } from '../resources/core/resource-quota/admission/reservations.ts'
import { resourceQuotaAdmission } from '../resources/core/resource-quota/admission-plugin.ts'
import { limitedResources } from '../resources/core/resource-quota/configuration.ts'
import { Evaluators } from '../resources/core/resource-quota/usage/evaluators.ts'
import { MUTATING_POLICIES, NAMESPACES, VALIDATING_POLICIES } from '../resources/kinds.ts'
import { AdmissionManifests } from './admission-manifests.ts'
import { AdmissionReads, compiledPlugins } from './admission-plugins.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { Service, ServiceStart } from './service.ts'

/** Dependencies of admission that are created before it, and accesses that are created later. */
export interface AdmissionServiceParts {
  readonly catalog: Catalog
  /** Reads stored objects for plugins. It does not call admission, so it exists before the registry. */
  readonly reader: RegistryReader
  /** Resolves services to the addresses of webhooks. */
  readonly resolveService: ResolveService
  /** Access for writes that are part of an admitted request. Available once the registry exists. */
  readonly access: () => ResourceAccess
  /** Same as `access`, but each write is a request of its own that admission webhooks see. */
  readonly requests: () => ResourceAccess
}

/** The groups of options that admission uses. */
type AdmissionGroups = Pick<ControlPlaneOptions, 'runtime' | 'logger' | 'release' | 'access' | 'admission' | 'network' | 'observability'>

/**
 * Enabled admission plugins in order, with the stored webhook configurations and policies. Plugins that are not
 * implemented are skipped.
 */
export class AdmissionService implements Service {
  readonly functions: AdmissionFunctions
  /** Shared with conversion webhooks. */
  readonly webhooks: WebhookClients
  /** Clients of plugins that have credentials of their own. */
  readonly #pluginWebhooks: ReadonlyMap<WebhookPluginName, WebhookClients>
  readonly metrics: readonly MetricFamily[]
  readonly #catalog: Catalog
  readonly #features: Features
  readonly #imagePolicy: ImagePolicy | undefined
  /** Indexes of stored policies and webhook configurations. Empty until `start` has read them. */
  readonly #mutatingPolicies = new PolicyIndex(compileMutatingPolicy)
  readonly #validatingPolicies = new PolicyIndex(compileValidatingPolicy)
  readonly #quotas = new QuotaIndex()
  readonly #limitsNamespaces: boolean
  /** Quota charged for writes in progress. Read by the controller that recalculates usage. */
  readonly reservations = new QuotaReservations()
  readonly #mutating = new WebhookConfigurations('mutating')
  readonly #validating = new WebhookConfigurations('validating')
  readonly #manifests: AdmissionManifests | undefined

  constructor(options: AdmissionGroups, parts: AdmissionServiceParts) {
    const { authorizer } = options.access
    const { gates: features } = options.release
    const { plugins: enabled, imagePolicy, webhookCredentials } = options.admission
    this.#catalog = parts.catalog
    this.#imagePolicy = imagePolicy
    this.#features = features
    const reads = new AdmissionReads(parts.reader)
    const metrics = new AdmissionMetrics()
    const policyMetrics = new PolicyMetrics((policy, binding) => this.#validatingPolicies.isBound(policy, binding))
    const mutatingPolicyMetrics = new MutatingPolicyMetrics((policy, binding) => this.#mutatingPolicies.isBound(policy, binding))
    const webhookMetrics = new WebhookMetrics((name, step) => this.#webhooksOf(step).hasHook(name))
    const conditionMetrics = new ConditionMetrics(({ name, kind, type }) =>
      kind === 'policy' ? this.#hasPolicy(name) : this.#webhooksOf(type).hasHook(name),
    )
    const podSecurityMetrics = new PodSecurityMetrics(features.release)
    const { webhookCertificates: certificates } = options.observability
    const clients = { certificates, egress: options.network.egress }
    this.webhooks = new WebhookClients(parts.resolveService, clients)
    this.#pluginWebhooks = new Map(
      Array.from(webhookCredentials, ([plugin, credentials]) => [
        plugin,
        new WebhookClients(parts.resolveService, { ...clients, room: this.webhooks.room, credentials }),
      ]),
    )
    const { getNamespace } = reads
    const webhookEnv = webhookEnvironment(options, parts.catalog, { metrics: webhookMetrics, conditionMetrics, getNamespace })
    const params = paramReader(served => parts.reader.reader(served))
    const policyEnv = {
      catalog: this.#catalog,
      params,
      getNamespace,
      authorize: authorizer.authorize,
      conditionMetrics,
      release: features.release,
    }
    const plugins: Readonly<Record<BuiltPluginName, () => AdmissionPlugin>> = {
      ...compiledPlugins({ ...compiledOptions(options, parts), reads, podSecurityMetrics }),
      ...this.#dynamicPlugins(webhookEnv, policyEnv, { validating: policyMetrics, mutating: mutatingPolicyMetrics }),
      ResourceQuota: () => this.#quotaPlugin(options, parts),
    }
    this.#limitsNamespaces = enabled.includes('ResourceQuota')
    const inOrder = enabled.filter(isBuiltPlugin).map(name => withoutReviews(plugins[name](), features))
    this.functions = admissionChain(inOrder, metrics)
    this.#manifests = this.#manifestsOf(options)
    this.metrics = [
      ...[metrics, policyMetrics, mutatingPolicyMetrics, webhookMetrics].flatMap(each => each.families()),
      ...certificates.families,
      ...conditionMetrics.families(),
      ...(this.#manifests?.metrics ?? []),
      ...(enabled.includes('PodSecurity') ? podSecurityMetrics.families : []),
    ]
  }

  /** Factories of the plugins that call webhooks or evaluate policies. */
  #dynamicPlugins(
    webhookEnv: Omit<WebhookEnvironment, 'clients'>,
    policyEnv: PolicyEnvironment & Pick<ValidatingEnvironment, 'release'>,
    metrics: { readonly validating: PolicyMetrics; readonly mutating: MutatingPolicyMetrics },
  ) {
    return {
      MutatingAdmissionPolicy: () =>
        mutatingAdmissionPolicy({
          ...policyEnv,
          index: this.#mutatingPolicies,
          metrics: metrics.mutating,
          refuseRepeated: !isSince(this.#features.release, '1.35'),
        }),
      MutatingAdmissionWebhook: () =>
        mutatingWebhooks({ ...webhookEnv, clients: this.#pluginWebhooks.get('MutatingAdmissionWebhook') ?? this.webhooks }, this.#mutating),
      ValidatingAdmissionPolicy: () =>
        validatingAdmissionPolicy({ ...policyEnv, index: this.#validatingPolicies, metrics: metrics.validating }),
      ValidatingAdmissionWebhook: () =>
        validatingWebhooks(
          { ...webhookEnv, clients: this.#pluginWebhooks.get('ValidatingAdmissionWebhook') ?? this.webhooks },
          this.#validating,
        ),
    }
  }

  /** Undefined if no plugin has manifests. */
  #manifestsOf(options: AdmissionGroups): AdmissionManifests | undefined {
    const { manifests } = options.admission
    if (manifests === undefined || manifests.size === 0) return undefined
    return new AdmissionManifests(options, {
      catalog: this.#catalog,
      webhooks: { mutating: this.#mutating, validating: this.#validating },
      policies: {
        mutating: this.#isFollowed('MutatingAdmissionPolicy', MUTATING_POLICIES) ? this.#mutatingPolicies : undefined,
        validating: this.hasPolicies() ? this.#validatingPolicies : undefined,
      },
    })
  }

  #quotaPlugin(
    { runtime, release: { gates }, admission: { configurations } }: AdmissionGroups,
    { access }: AdmissionServiceParts,
  ): AdmissionPlugin {
    return resourceQuotaAdmission({
      index: this.#quotas,
      reservations: this.reservations,
      access,
      limitedResources: limitedResources(configurations),
      evaluators: new Evaluators(gates),
      clock: runtime.clock,
    })
  }

  /** Whether ValidatingAdmissionPolicy is enabled and served. */
  hasPolicies(): boolean {
    return this.#isFollowed('ValidatingAdmissionPolicy', VALIDATING_POLICIES)
  }

  /**
   * Loads webhooks and policies from files, before requests are served. Rejects with AdmissionConfigError if one is
   * invalid.
   */
  async loadManifests(): Promise<void> {
    await this.#manifests?.load()
  }

  /**
   * Follows policies and webhook configurations. Requests to which they may apply wait for the initial lists, and are
   * rejected if that takes too long (`src/admission/filling.ts`).
   */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<unknown> {
    return Promise.all([
      this.#isFollowed('MutatingAdmissionPolicy', MUTATING_POLICIES) &&
        followPolicies(env, POLICY_KINDS.mutating, this.#mutatingPolicies, signal),
      this.hasPolicies() && followPolicies(env, POLICY_KINDS.validating, this.#validatingPolicies, signal),
      followWebhooks(env, this.#mutating, signal),
      followWebhooks(env, this.#validating, signal),
      this.#limitsNamespaces && followQuotas(env, this.#quotas, signal),
      this.#manifests?.follow(signal),
    ])
  }

  /** Closes connections to webhooks. */
  close(): void {
    for (const clients of [this.webhooks, ...this.#pluginWebhooks.values()]) clients.close()
    this.#imagePolicy?.client.close()
  }

  /** @param step label of the metrics. */
  #webhooksOf(step: ConditionSubject['type']): WebhookConfigurations {
    return step === 'admit' ? this.#mutating : this.#validating
  }

  #hasPolicy(name: string): boolean {
    return this.#validatingPolicies.hasPolicy(name) || this.#mutatingPolicies.hasPolicy(name)
  }

  /** Whether the feature gate is enabled and the resource is served. */
  #isFollowed(gate: GateName, { group, resource }: ResourceId): boolean {
    return this.#features.enabled(gate) && this.#catalog.snapshot().definition(group, resource) !== undefined
  }
}

/** Environment of the plugins that call webhooks. Each adds its own clients. */
const webhookEnvironment = (
  { logger, access: { authorizer }, observability: { spans } }: AdmissionGroups,
  catalog: Catalog,
  shared: Pick<WebhookEnvironment, 'metrics' | 'conditionMetrics' | 'getNamespace'>,
): Omit<WebhookEnvironment, 'clients'> => ({
  ...shared,
  logger,
  reviewSchema: () => types.type('admission.AdmissionReview'),
  newUid: randomUUID,
  builtIns: () => builtInsOf(catalog.snapshot()),
  spans,
  authorizer: ({ ctx }) => authorizerOf(authorizer.authorize, ctx.user, ctx.signal),
})

/** Options of the plugins that use neither webhooks nor policies. */
const compiledOptions = (
  { release: { gates }, runtime, access: { authorizer }, admission }: AdmissionGroups,
  { catalog, requests }: AdmissionServiceParts,
) => ({
  catalog,
  features: gates,
  clock: runtime.clock,
  random: runtime.random,
  configurations: admission.configurations,
  authorizer,
  tolerationSeconds: admission.tolerationSeconds,
  requireServiceAccounts: admission.requireServiceAccounts,
  imagePolicy: admission.imagePolicy,
  createNamespace: (name: string) => requests().create(NAMESPACES, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
})
