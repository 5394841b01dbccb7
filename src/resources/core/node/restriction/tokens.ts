import type { TokenRequest } from '../../../../api/authentication/v1.types.ts'
import type { Pod } from '../../../../api/core/v1.types.ts'
import { asKind, kindId } from '../../../../catalog/define.ts'
import { aggregate } from '../../../../lib/aggregate.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { resourceAttributes } from '../../../../meta/request-attributes.ts'
import { PODS } from '../../../kinds.ts'
import { found, type Restricted, refuseNode, sinceOf } from './restricted.ts'
import { driverWants } from './token-drivers.ts'

const TOKEN_REQUESTS = kindId<TokenRequest>('authentication.k8s.io', 'tokenrequests')

/** Allows a node to request tokens that are bound to its pods, for the audiences that these pods need. */
export async function restrictToken(restricted: Restricted): Promise<void> {
  const { operation, subresource, namespace, object } = restricted.request
  if (operation !== 'CREATE' || subresource !== 'token' || !object) return
  const { spec } = asKind(TOKEN_REQUESTS, object)
  const { apiVersion, kind, name = '', uid = '' } = spec.boundObjectRef ?? {}
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') throw refuseNode(restricted, 'node requested token not bound to a pod')
  if (uid === '') throw refuseNode(restricted, 'node requested token with a pod binding without a uid')
  const pod = await found(restricted, PODS, { name, namespace })
  if (uid !== pod.metadata.uid)
    throw refuseNode(
      restricted,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  if (pod.spec.nodeName !== restricted.node)
    throw refuseNode(restricted, 'node requested token bound to a pod scheduled on a different node')
  if (sinceOf(restricted, '1.32') && restricted.options.features.enabled('ServiceAccountNodeAudienceRestriction'))
    await checkAudience(restricted, spec.audiences ?? [], pod)
}

/**
 * Since 1.33 the authorizer can allow an audience that no volume needs (verb `request-serviceaccounts-token-audience`,
 * KEP-4412).
 */
async function checkAudience(restricted: Restricted, audiences: readonly string[], pod: Pod): Promise<void> {
  const [audience = '', ...more] = audiences
  if (more.length > 0) throw refuseNode(restricted, 'node may only request 0 or 1 audiences')
  if (await isNeeded(restricted, audience, pod)) return
  const unknown = `audience ${quote(audience)} not found in pod spec volume`
  if (!sinceOf(restricted, '1.33')) throw refuseNode(restricted, unknown)
  const { ctx, namespace, name } = restricted.request
  const asked = resourceAttributes({ verb: 'request-serviceaccounts-token-audience', version: 'v1', resource: audience, namespace, name })
  const { decision } = await restricted.options.authorizer.authorize(ctx.user, asked, ctx.signal)
  if (decision !== 'allow')
    throw refuseNode(restricted, `${unknown}, ${ctx.user.name} is not authorized to request tokens for this audience`)
}

/**
 * Reports whether a volume of the pod needs a token for the audience: either it projects one, or its CSI driver
 * requests one.
 */
async function isNeeded(restricted: Restricted, audience: string, pod: Pod): Promise<boolean> {
  const errors: string[] = []
  for (const volume of pod.spec.volumes ?? []) {
    if (
      volume.projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken && (serviceAccountToken.audience ?? '') === audience)
    )
      return true
    try {
      if (await driverWants(restricted, pod, volume, audience)) return true
    } catch (error) {
      errors.push(errorMessage(error))
    }
  }
  if (errors.length > 0) throw refuseNode(restricted, `error validating audience ${quote(audience)}: ${aggregate(errors)}`)
  return false
}
