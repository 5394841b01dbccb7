import { admissionChain } from '../../../src/admission/chain.ts'
import { authorizerOf } from '../../../src/admission/expressions/authorizer-variable.ts'
import { ConditionMetrics } from '../../../src/admission/expressions/condition-metrics.ts'
import type { WebhookEnvironment } from '../../../src/admission/webhooks/call.ts'
import { WebhookClients } from '../../../src/admission/webhooks/client.ts'
import { WebhookConfigurations } from '../../../src/admission/webhooks/configurations.ts'
import { WebhookMetrics } from '../../../src/admission/webhooks/metrics.ts'
import { mutatingWebhooks } from '../../../src/admission/webhooks/mutating.ts'
import { validatingWebhooks } from '../../../src/admission/webhooks/validating.ts'
import type { WebhookKind } from '../../../src/admission/webhooks/webhook.ts'
import { types } from '../../../src/catalog/types.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { builtInsOf } from '../../../src/registry/other-type.ts'
import type { AnyObject } from '../any-object.ts'
import { builtinRegistry, NAMESPACES } from '../builtin-registry.ts'
import { ACTS } from './acts.ts'
import { WebhookServer } from './webhook-server.ts'

/** Fields of the review request that tests read. */
interface Asked {
  readonly kind: object
  readonly resource: object
  readonly requestKind: object
  readonly object: AnyObject
}

/** A configuration of webhooks as it is stored: with defaults. */
export const configuration = (name: string, webhooks: readonly object[]): AnyObject => ({
  kind: 'WebhookConfiguration',
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name, uid: name, generation: 1 },
  webhooks: webhooks.map(hook => ({
    name: 'h.example.com',
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...hook,
  })),
})

/** The built-in kinds in a registry whose writes webhooks are asked about; the webhooks do what ACTS says. */
export class WebhookWorld {
  readonly t = builtinRegistry()
  readonly mutating = new WebhookConfigurations('mutating')
  readonly validating = new WebhookConfigurations('validating')
  readonly metrics = new WebhookMetrics()
  readonly conditionMetrics = new ConditionMetrics()
  readonly server: WebhookServer
  readonly #clients = new WebhookClients(async () => ({ host: '127.0.0.1', port: 1 }))

  private constructor(server: WebhookServer, more: Pick<WebhookEnvironment, 'spans'>) {
    this.server = server
    for (const [path, act] of Object.entries(ACTS)) server.acts.set(path, act)
    let uids = 0
    const env: WebhookEnvironment = {
      clients: this.#clients,
      metrics: this.metrics,
      conditionMetrics: this.conditionMetrics,
      logger: silentLogger,
      reviewSchema: () => types.type('admission.AdmissionReview'),
      newUid: () => `review-${++uids}`,
      builtIns: () => builtInsOf(this.t.catalog.snapshot()),
      getNamespace: name => this.t.access().get(NAMESPACES, '', name),
      ...more,
      authorizer: ({ ctx }) => authorizerOf(async () => ({ decision: 'allow', reason: '' }), ctx.user, ctx.signal),
    }
    this.t.admission = admissionChain([mutatingWebhooks(env, this.mutating), validatingWebhooks(env, this.validating)])
  }

  static async start(more: Pick<WebhookEnvironment, 'spans'> = {}): Promise<WebhookWorld> {
    return new WebhookWorld(await WebhookServer.start(), more)
  }

  /** A webhook in a configuration of its own, which sees everything unless `more` says otherwise. */
  add(kind: WebhookKind, path: string, more: object = {}): void {
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
    const configurations = this[kind]
    const name = `c${[...configurations.names()].length}`
    configurations.put(configuration(name, [{ clientConfig: this.server.clientConfig(path), rules, ...more }]))
  }

  /** Returns the reviews since the last call. */
  asked(): Asked[] {
    return this.server.requests.splice(0).map(({ review }) => review.request as Asked)
  }

  clear(): void {
    for (const each of [this.mutating, this.validating]) for (const name of [...each.names()]) each.remove(name)
    this.asked()
  }

  close(): void {
    this.#clients.close()
    this.server.close()
  }
}
