import { expect } from 'chai'
import type { CertificateSigningRequest } from '../../../../../src/api/certificates/v1.types.ts'
import { approvalMessage, approvalRights } from '../../../../../src/cluster/controllers/certificateapproving/recognize.ts'

const REQUEST = { organizations: ['system:nodes'], commonName: 'system:node:a', dns: [], ips: [], emails: [], uris: [] }
const USAGES = ['client auth', 'digital signature']

function rightsOf(spec: Partial<CertificateSigningRequest['spec']>, parts: Partial<typeof REQUEST> = {}): string[] {
  const complete = {
    request: '',
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: USAGES,
    ...spec,
  } as CertificateSigningRequest['spec']
  return approvalRights({ ...REQUEST, ...parts }, complete).map(({ subresource }) => subresource)
}

describe('approval of certificate requests', () => {
  it('needs the right to a certificate of the own name, or of any node', () => {
    expect(rightsOf({ username: 'system:node:a' })).to.deep.equal(['selfnodeclient', 'nodeclient'])
    expect(rightsOf({ username: 'x' })).to.deep.equal(['nodeclient'])
  })

  it('is only for client certificates of kubelets', () => {
    expect(rightsOf({ username: 'x', signerName: 'kubernetes.io/kube-apiserver-client' })).to.deep.equal([])
    expect(rightsOf({ username: 'x' }, { commonName: 'bob' })).to.deep.equal([])
    expect(rightsOf({ username: 'x', usages: ['server auth'] })).to.deep.equal([])
  })

  it('has the message of the first right that is granted', async () => {
    const rights = approvalRights(REQUEST, {
      request: '',
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: USAGES,
      username: 'system:node:a',
    } as never)
    expect(await approvalMessage(rights, async () => true)).to.equal(
      'Auto approving self kubelet client certificate after SubjectAccessReview.',
    )
    expect(await approvalMessage(rights, async name => name === 'nodeclient')).to.equal(
      'Auto approving kubelet client certificate after SubjectAccessReview.',
    )
    expect(await approvalMessage(rights, async () => false)).to.equal(undefined)
  })
})
