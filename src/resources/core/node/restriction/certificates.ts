import type { PodCertificateRequest } from '../../../../api/certificates/v1beta1.types.ts'
import type { Pod } from '../../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../../api/meta/object.ts'
import { asKind, type KindId } from '../../../../catalog/define.ts'
import { commonNameOf } from '../../../../lib/certificate-request.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { isStatusError } from '../../../../meta/status.ts'
import { NODES, POD_CERTIFICATE_REQUESTS, PODS, SERVICE_ACCOUNTS, SIGNING_REQUESTS } from '../../../kinds.ts'
import { MIRROR_POD } from '../../pod-spec/annotations.ts'
import { failed, found, type Restricted, refuseNode } from './restricted.ts'

const NODE_SIGNERS: ReadonlySet<string> = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'])

/** Allows a node to request certificates for its own name only. */
export function restrictSigningRequest(restricted: Restricted): void {
  const { operation, object } = restricted.request
  if (operation !== 'CREATE' || !object) return
  const { signerName, request } = asKind(SIGNING_REQUESTS, object).spec
  if (!NODE_SIGNERS.has(signerName)) return
  if (commonName(restricted, request) !== `system:node:${restricted.node}`)
    throw refuseNode(restricted, `can only create a node CSR with CN=system:node:${restricted.node}`)
}

function commonName(restricted: Restricted, request: string | null): string {
  try {
    return commonNameOf(Buffer.from(request ?? '', 'base64').toString('latin1'))
  } catch (error) {
    throw refuseNode(restricted, `unable to parse csr: ${errorMessage(error)}`)
  }
}

/** Allows a node to request certificates for the pods that run on it, with the service account that they use. */
export async function restrictCertificateRequest(restricted: Restricted): Promise<void> {
  const { operation, subresource, object } = restricted.request
  if (!restricted.options.features.enabled('PodCertificateRequest'))
    throw refuseNode(restricted, 'PodCertificateRequest feature gate is disabled')
  if (operation !== 'CREATE' || !object) throw refuseNode(restricted, `unexpected operation ${operation}`)
  if (subresource !== '') throw refuseNode(restricted, `unexpected subresource ${subresource}`)
  const { spec } = asKind(POD_CERTIFICATE_REQUESTS, object)
  await checkNode(restricted, spec)
  await checkAccount(restricted, spec, await podOf(restricted, spec))
}

type Spec = PodCertificateRequest['spec']

const podKey = ({ request: { namespace } }: Restricted, { podName }: Spec): string => quote(`${namespace}/${podName}`)

/** Reads an object that the request names. `what` describes the object in error messages. */
async function getNamedObject<T extends TypedObject>(
  restricted: Restricted,
  what: string,
  id: KindId<T>,
  place: { name: string; namespace?: string },
): Promise<T> {
  const unread = (why: string): string => `while retrieving ${what} named in the PodCertificateRequest: ${why}`
  try {
    return await found(restricted, id, place, unread)
  } catch (error) {
    throw isStatusError(error, 'NotFound') ? failed(unread(error.message)) : error
  }
}

async function checkNode(restricted: Restricted, spec: Spec): Promise<void> {
  const { node } = restricted
  if (spec.nodeName !== node)
    throw refuseNode(
      restricted,
      `PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}, which is not the requesting node ${quote(node)}`,
    )
  const { uid = '' } = (await getNamedObject(restricted, `node ${quote(node)}`, NODES, { name: node })).metadata
  if (uid === spec.nodeUID) return
  const names = `names node UID ${quote(spec.nodeUID)}, inconsistent with the running node (${quote(uid)})`
  throw failed(`PodCertificateRequest for pod ${podKey(restricted, spec)} ${names}`)
}

/** Returns the pod of the request. Throws 403 if it does not run on this node. */
async function podOf(restricted: Restricted, spec: Spec): Promise<Pod> {
  const { request } = restricted
  const key = podKey(restricted, spec)
  const pod = await getNamedObject(restricted, `pod ${key}`, PODS, { name: spec.podName, namespace: request.namespace })
  const { uid = '', annotations = {} } = pod.metadata
  if (uid !== spec.podUID)
    throw failed(
      `PodCertificateRequest for pod ${key} contains pod UID (${quote(spec.podUID)}) which differs from running pod ${quote(uid)}`,
    )
  if (pod.spec.nodeName !== spec.nodeName)
    throw refuseNode(restricted, `pod ${key} is not running on node ${quote(spec.nodeName)} named in the PodCertificateRequest`)
  if (Object.hasOwn(annotations, MIRROR_POD)) throw refuseNode(restricted, `pod ${key} is a mirror pod`)
  return pod
}

/** The account must be that of the running pod, and still the one with the requested UID. Throws 403. */
async function checkAccount(restricted: Restricted, spec: Spec, pod: Pod): Promise<void> {
  const { request } = restricted
  const key = podKey(restricted, spec)
  const { serviceAccountName: name, serviceAccountUID } = spec
  const { serviceAccountName: ofPod = '' } = pod.spec
  if (name !== ofPod)
    throw refuseNode(
      restricted,
      `PodCertificateRequest for pod ${key} contains serviceAccountName (${quote(name)}) that differs from running pod (${quote(ofPod)})`,
    )
  const what = `service account ${quote(`${request.namespace}/${name}`)}`
  const account = await getNamedObject(restricted, what, SERVICE_ACCOUNTS, { name, namespace: request.namespace })
  const { uid = '' } = account.metadata
  if (uid === serviceAccountUID) return
  const names = `names service account UID ${quote(serviceAccountUID)}, which differs from the running service account (${quote(uid)})`
  throw failed(`PodCertificateRequest for pod ${key} ${names}`)
}
