import { randomUUID } from 'node:crypto'
import { type AdmissionPlugin, admissionChain } from '../admission/chain.ts'
import { authorizerOf } from '../admission/expressions/authorizer-answers.ts'
import { AdmissionMetrics } from '../admission/metrics.ts'
import { type BuiltPluginName, isBuiltPlugin } from '../admission/plugin-names.ts'
import { PolicyMetrics } from '../admission/policies/metrics.ts'
import { paramReader } from '../admission/policies/param-reader.ts'
import { validatingAdmissionPolicy } from '../admission/policies/plugin.ts'
import { PolicyIndex } from '../admission/policies/policy-index.ts'
import { WebhookClients } from '../admission/webhooks/client.ts'
import { WebhookConfigurations } from '../admission/webhooks/configurations.ts'
import { WebhookMetrics } from '../admission/webhooks/metrics.ts'
import { mutatingWebhooks } from '../admission/webhooks/mutating.ts'
import { serviceAddress } from '../admission/webhooks/service-address.ts'
import { validatingWebhooks } from '../admission/webhooks/validating.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { followPolicies } from '../controllers/follow-policies.ts'
import { followWebhooks } from '../controllers/follow-webhooks.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { RegistryReader } from '../registry/registry-reader.ts'
import type { AdmissionFunctions, AdmissionRequest } from '../registry/types.ts'
import { NAMESPACES } from '../resources/kinds.ts'
import { types } from '../resources/types.ts'
import { AdmissionReads, compiledPlugins } from './admission-plugins.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { Service, ServiceStart } from './service.ts'

export interface AdmissionServiceParts {
  readonly catalog: Catalog
  /** Plugins read what is stored through it. It asks no admission, so it exists before the registry. */
  readonly reader: RegistryReader
}

/** The admission plugins that are on, in their order, with the webhooks and policies that are stored. Plugins that are on and not built are left out. */
export class AdmissionService implements Service {
  readonly functions: AdmissionFunctions
  /** Also for conversion by webhooks. */
  readonly webhooks: WebhookClients
  readonly metrics: readonly MetricFamily[]
  private readonly catalog: Catalog
  private readonly features: Features
  /** Compiled policies and webhook configurations, as the store has them; empty until `start` has read them. */
  private readonly policies = new PolicyIndex()
  private readonly mutating = new WebhookConfigurations('mutating')
  private readonly validating = new WebhookConfigurations('validating')

  constructor(options: ControlPlaneOptions, parts: AdmissionServiceParts) {
    const { logger, authorizer, gates: features, tolerationSeconds, requireServiceAccounts, admissionPlugins } = options
    this.catalog = parts.catalog
    this.features = features
    const reads = new AdmissionReads(parts.reader.access)
    const metrics = new AdmissionMetrics()
    const policyMetrics = new PolicyMetrics()
    const webhookMetrics = new WebhookMetrics()
    this.webhooks = new WebhookClients(serviceAddress((namespace, name) => reads.service(namespace, name)))
    const getNamespace = (name: string) => reads.get(NAMESPACES, name)
    const webhookEnv = {
      clients: this.webhooks,
      metrics: webhookMetrics,
      logger,
      getNamespace,
      reviewSchema: () => types.type('admission.AdmissionReview'),
      newUid: randomUUID,
      authorizer: ({ ctx }: AdmissionRequest) => authorizerOf(authorizer.authorize, ctx.user, ctx.signal),
    }
    const plugins: Readonly<Record<BuiltPluginName, AdmissionPlugin>> = {
      ...compiledPlugins({ reads, features, authorizer, tolerationSeconds, requireServiceAccounts }),
      MutatingAdmissionWebhook: mutatingWebhooks(webhookEnv, this.mutating),
      ValidatingAdmissionPolicy: validatingAdmissionPolicy({
        index: this.policies,
        catalog: this.catalog,
        params: paramReader(served => parts.reader.reader(served)),
        metrics: policyMetrics,
        getNamespace,
        authorize: authorizer.authorize,
      }),
      ValidatingAdmissionWebhook: validatingWebhooks(webhookEnv, this.validating),
    }
    const inOrder = admissionPlugins.filter(isBuiltPlugin).map(name => plugins[name])
    this.functions = admissionChain(inOrder, metrics)
    this.metrics = [...metrics.families(), ...policyMetrics.families(), ...webhookMetrics.families()]
  }

  /** Whether validating admission policies are served and in force. */
  hasPolicies(): boolean {
    return (
      this.features.enabled('ValidatingAdmissionPolicy') &&
      this.catalog.snapshot().definition('admissionregistration.k8s.io', 'validatingadmissionpolicies') !== undefined
    )
  }

  /** Follows policies and webhook configurations. Requests to which they may apply wait for the first state, and are refused if it takes long (`src/admission/filling.ts`). */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<unknown> {
    return Promise.all([
      this.hasPolicies() && followPolicies(env, this.policies, signal),
      followWebhooks(env, this.mutating, signal),
      followWebhooks(env, this.validating, signal),
    ])
  }

  /** Ends connections to webhooks. */
  close(): void {
    this.webhooks.close()
  }
}
