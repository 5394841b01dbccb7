import { readForeignJson } from '../../codec/foreign-json.ts'
import { escapeHtml } from '../../codec/json.ts'
import { goJsonInSteps } from '../../codec/json-in-steps.ts'
import { runInTurns } from '../../lib/steps.ts'
import { annotateEvent } from '../audit-annotation.ts'
import type { WebhookCall } from './webhook-call.ts'

/** Annotations of the audit event about calls of webhooks. Source: k8s.io/apiserver, pkg/admission/plugin/webhook. */

const placeOf = ({ round, index }: WebhookCall): string => `round_${round}_index_${index}`

/** The webhook could not be asked, and the request went on. */
export const annotateFailedOpen = (call: WebhookCall): void =>
  annotateEvent(
    call.request,
    `failed-open.${call.hook.kind === 'mutating' ? 'mutation' : 'validating'}.webhook.admission.k8s.io/${placeOf(call)}`,
    call.hook.name,
  )

/** Whether a webhook has changed the object. */
export const annotateMutation = (call: WebhookCall, mutated: boolean): void =>
  annotateEvent(
    call.request,
    `mutation.webhook.admission.k8s.io/${placeOf(call)}`,
    JSON.stringify({ configuration: call.hook.configuration, webhook: call.hook.name, mutated }),
  )

/** Longer patches are written in steps. */
const SHORT_BYTES = 32 * 1024

/** The patch of a webhook, which may hold as much as the object: for events that show that. It has been applied, and so is one. */
export async function annotatePatch(call: WebhookCall, patch: Buffer): Promise<void> {
  const { request, hook } = call
  if (!request.ctx.audit?.showsRequest) return
  const value = `{"configuration":${JSON.stringify(hook.configuration)},"webhook":${JSON.stringify(hook.name)},"patch":${await patchText(patch)},"patchType":"JSONPatch"}`
  annotateEvent(request, `patch.webhook.admission.k8s.io/${placeOf(call)}`, value)
}

const patchText = async (patch: Buffer): Promise<string> =>
  patch.length <= SHORT_BYTES
    ? escapeHtml(JSON.stringify(JSON.parse(patch.toString())))
    : (await runInTurns(goJsonInSteps(await readForeignJson(patch)))).join('')
