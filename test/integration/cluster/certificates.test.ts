import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import { certificateFacts, certificateRequest, type RequestNames } from '../../oracle/certificates.ts'
import type { AnyObject } from '../../support/any-object.ts'

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet'

describe('certificates in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (): Promise<{ status: number; body: AnyObject }> => plane.request<AnyObject>('GET', `${REQUESTS}/r`)
  const status = async (): Promise<AnyObject['status']> => (await get()).body.status
  const create = async (signerName: string, names: RequestNames, usages: string[], as = plane.request): Promise<void> => {
    const spec = { signerName, usages, request: await certificateRequest(names) }
    const { status: code, body } = await as('POST', REQUESTS, {
      body: { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: 'r' }, spec },
    })
    expect(code, JSON.stringify(body)).to.equal(201)
  }
  const decide = async (type: string): Promise<void> => {
    const conditions = [{ type, status: 'True', reason: 'Test', message: 'ok' }]
    await plane.request('PATCH', `${REQUESTS}/r/approval`, { body: { status: { conditions } } })
  }

  it('are signed by the authority of the server once they are approved', async () => {
    await create('kubernetes.io/kube-apiserver-client', { cn: 'bob', org: ['g'] }, ['client auth'])
    await plane.settled()
    expect((await status())?.certificate).to.equal(undefined)
    await decide('Approved')
    await plane.until(async () => (await status())?.certificate !== undefined)
    const { certificate } = await status()
    expect(certificateFacts(certificate)).to.deep.include({
      cn: 'bob',
      org: ['g'],
      extKeyUsage: ['clientAuth'],
      notAfterMinusNotBefore: 31_536_000,
    })
    const authority = new X509Certificate(Buffer.from(plane.certificateAuthority, 'utf8'))
    expect(new X509Certificate(Buffer.from(certificate, 'base64')).verify(authority.publicKey)).to.equal(true)
  })

  it('are approved for nodes that have the right to them', async () => {
    const names = { cn: 'system:node:n', org: ['system:nodes'] }
    const usages = ['client auth', 'digital signature']
    const asBootstrapper: typeof plane.request = (method, path, init = {}) =>
      plane.request(method, path, {
        ...init,
        headers: { 'impersonate-user': 'system:bootstrap:abcdef', 'impersonate-group': 'system:bootstrappers' },
      })
    for (const role of ['system:node-bootstrapper', 'system:certificates.k8s.io:certificatesigningrequests:nodeclient'])
      await plane.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: role },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:bootstrappers' }],
      })
    await plane.settled()
    await create(KUBELET, names, usages, asBootstrapper)
    await plane.until(async () => (await status())?.certificate !== undefined)
    expect((await status()).conditions[0]).to.include({
      type: 'Approved',
      reason: 'AutoApproved',
      message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    })
  })

  it('are refused with a condition if the request is not one for its signer', async () => {
    await create(KUBELET, { cn: 'bob', org: ['system:nodes'] }, ['client auth', 'digital signature'])
    await decide('Approved')
    await plane.until(async () => (await status()).conditions.some(({ type }: AnyObject) => type === 'Failed'))
    expect((await status()).conditions[1]).to.include({
      reason: 'SignerValidationFailure',
      message: 'subject common name does not begin with system:node:',
    })
  })

  it('leave no old requests behind', async () => {
    await create('example.com/x', { cn: 'bob' }, ['client auth'])
    await decide('Denied')
    await plane.settled()
    await plane.advance(3_599_000)
    expect((await get()).status).to.equal(200)
    await plane.advance(3000)
    await plane.until(async () => (await get()).status === 404)
  })
})

describe('trust bundles and pod certificates in a cluster', () => {
  const VERSIONS: [release: string, version: string, flags: Record<string, string>][] = [
    ['1.37', 'v1', {}],
    [
      '1.36',
      'v1beta1',
      {
        'feature-gates': 'ClusterTrustBundle=true,PodCertificateRequest=true',
        'runtime-config': 'certificates.k8s.io/v1beta1/clustertrustbundles=true,certificates.k8s.io/v1beta1/podcertificaterequests=true',
      },
    ],
  ]
  for (const [release, version, flags] of VERSIONS)
    it(`are published and cleaned up in ${version} of ${release}`, async () => {
      const controllers = ['kube-apiserver-serving-clustertrustbundle-publisher-controller', 'podcertificaterequest-cleaner-controller']
      const plane = await startControlPlane({
        clock: 'stopped',
        flags: { profile: 'cluster', 'emulated-version': release, controllers, ...flags },
      })
      try {
        const path = `/apis/certificates.k8s.io/${version}/clustertrustbundles`
        const bundles = async (): Promise<AnyObject[]> => (await plane.request<{ items: AnyObject[] }>('GET', path)).body.items
        await plane.until(async () => (await bundles()).length === 1)
        const [bundle] = await bundles()
        expect(bundle?.spec).to.deep.equal({ signerName: 'kubernetes.io/kube-apiserver-serving', trustBundle: plane.certificateAuthority })
        await plane.request('DELETE', `${path}/${bundle?.metadata.name}`)
        await plane.until(async () => (await bundles()).some(({ metadata }) => metadata.uid !== bundle?.metadata.uid))
        const outdated = { ...bundle, metadata: { name: 'kubernetes.io:kube-apiserver-serving:old' } }
        await plane.request('POST', path, { body: outdated })
        await plane.until(async () => (await bundles()).length === 1)
      } finally {
        await plane.stop()
      }
    })

  it('are left out by a release that does not have them', async () => {
    const plane = await startControlPlane({ flags: { profile: 'cluster', 'emulated-version': '1.30' } })
    expect((await plane.request('GET', '/readyz')).status).to.equal(200)
    await plane.stop()
  })
})
