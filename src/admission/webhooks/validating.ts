import { timeoutError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { VersionedResource } from '../attributes.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { inMatchedVersion } from '../matched.ts'
import { seenBodies } from './bodies.ts'
import { consult, type WebhookEnvironment } from './call.ts'
import type { WebhookConfigurations } from './configurations.ts'
import { invocationOf } from './invocation.ts'
import { awaitWebhooks, hasWebhooks, webhooksFor } from './mutating.ts'
import type { Webhook } from './webhook.ts'

/**
 * ValidatingAdmissionWebhook: calls webhooks in parallel and waits for all of them. The first rejection is returned.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#validatingadmissionwebhook
 */
export function validatingWebhooks(env: WebhookEnvironment, configurations: WebhookConfigurations): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: request => hasWebhooks(configurations, request),
    async validate(asked) {
      await awaitWebhooks(configurations, asked)
      const { request } = seenBodies(asked, 'validating')
      const relevant: [Webhook, VersionedResource][] = []
      for (const hook of webhooksFor(configurations, asked)) {
        const about = await invocationOf(hook, request, env)
        if (about) relevant.push([hook, about])
      }
      if (relevant.length > 0) await askAll(env, request, relevant)
    },
  }
}

/** Calls all webhooks in parallel. Throws the first error. */
async function askAll(
  env: WebhookEnvironment,
  request: AdmissionRequest,
  relevant: readonly [Webhook, VersionedResource][],
): Promise<void> {
  if (request.ctx.signal.aborted) throw timeoutError('request did not complete within requested timeout', 0)
  const faults: unknown[] = []
  await Promise.all(
    relevant.map(([hook, about], index) =>
      inMatchedVersion(request, about)
        .then(seen => consult(env, { hook, request: seen, about, round: 0, index }, () => undefined))
        .catch(error => {
          faults.push(error)
        }),
    ),
  )
  if (faults.length > 0) throw faults[0]
}
