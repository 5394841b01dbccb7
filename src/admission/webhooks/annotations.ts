import { readForeignJson } from '../../codec/foreign-json.ts'
import { escapeHtml } from '../../codec/json.ts'
import { goJsonInSteps } from '../../codec/json-in-steps.ts'
import { runInTurns } from '../../lib/steps.ts'
import { annotateEvent } from '../audit-annotation.ts'
import type { WebhookCall } from './webhook-call.ts'

/** Suffix of the audit annotations about webhook calls. Source: k8s.io/apiserver, pkg/admission/plugin/webhook. */

const annotationPrefix = ({ round, index }: WebhookCall): string => `round_${round}_index_${index}`

/** Records that a webhook failed and the request continued, because its failurePolicy is Ignore. */
export const annotateFailedOpen = (call: WebhookCall): void =>
  annotateEvent(
    call.request,
    `failed-open.${call.hook.kind === 'mutating' ? 'mutation' : 'validating'}.webhook.admission.k8s.io/${annotationPrefix(call)}`,
    call.hook.name,
  )

/** Records whether a webhook changed the object. */
export const annotateMutation = (call: WebhookCall, mutated: boolean): void =>
  annotateEvent(
    call.request,
    `mutation.webhook.admission.k8s.io/${annotationPrefix(call)}`,
    JSON.stringify({ configuration: call.hook.configuration, webhook: call.hook.name, mutated }),
  )

/** Patches longer than this, in bytes, are encoded in steps. */
const SHORT_BYTES = 32 * 1024

/**
 * Records the patch of a webhook if the audit level includes the request body. The patch can be as large as the object.
 * It has been applied, so it is valid JSON.
 */
export async function annotatePatch(call: WebhookCall, patch: Buffer): Promise<void> {
  const { request, hook } = call
  if (!request.ctx.audit?.showsRequest) return
  const value = `{"configuration":${JSON.stringify(hook.configuration)},"webhook":${JSON.stringify(hook.name)},"patch":${await patchText(patch)},"patchType":"JSONPatch"}`
  annotateEvent(request, `patch.webhook.admission.k8s.io/${annotationPrefix(call)}`, value)
}

const patchText = async (patch: Buffer): Promise<string> =>
  patch.length <= SHORT_BYTES
    ? escapeHtml(JSON.stringify(JSON.parse(patch.toString())))
    : (await runInTurns(goJsonInSteps(await readForeignJson(patch)))).join('')
