import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { expect } from 'chai'
import type { AdmissionPlugin } from '../../../../src/admission/chain.ts'
import { organizationsOf } from '../../../../src/lib/certificate-request.ts'
import type { Authorizer } from '../../../../src/meta/authorizer.ts'
import { certificateSigningRequestResource as requests } from '../../../../src/resources/certificates/certificate-signing-request/definition.ts'
import { clusterTrustBundleResource as bundles } from '../../../../src/resources/certificates/cluster-trust-bundle/definition.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from '../../../../src/resources/certificates/signer-admission.ts'
import { admissionRequest, refusal } from '../../../support/admission-request.ts'
import { allowingIf } from '../../../support/authorizer.ts'

const CLIENT = 'kubernetes.io/kube-apiserver-client'
const ctx = { user: { name: 'u', groups: [] }, signal: new AbortController().signal }
const allowing = (...allowed: string[]): Authorizer =>
  allowingIf(({ verb, group, resource, name }) => allowed.includes(`${verb} ${resource}.${group} ${name}`))
const of = (signerName: string, more: object = {}): object => ({ metadata: { name: 'x' }, spec: { signerName }, status: {}, ...more })
const change = (subresource: string, object: object, old: object) =>
  admissionRequest(requests, object, { operation: 'UPDATE', subresource, old, ctx })

describe('signers', () => {
  const rights: [string, string | undefined][] = [
    ['approve signers.certificates.k8s.io example.com/s', undefined],
    ['approve signers.certificates.k8s.io example.com/*', undefined],
    ['approve signers.certificates.k8s.io example.org/*', 'user not permitted to approve requests with signerName "example.com/s"'],
    ['sign signers.certificates.k8s.io example.com/s', 'user not permitted to approve requests with signerName "example.com/s"'],
  ]
  for (const [right, text] of rights) {
    it(`decide approval with the permission: ${right}`, async () => {
      // The signer of the stored request is checked, not that of the body.
      const request = change('approval', of('example.org/other'), of('example.com/s'))
      const expected = text && `certificatesigningrequests.certificates.k8s.io "x" is forbidden: ${text}`
      expect(await refusal(certificateApproval(allowing(right)).validate?.(request))).to.equal(expected)
    })
  }

  it('require permission to sign for setting a certificate, but not for other status changes', async () => {
    const answer = change('status', of('example.com/s', { status: { certificate: 'eA==' } }), of('example.com/s'))
    expect(await refusal(certificateSigning(allowing()).validate?.(answer))).to.contain(
      'not permitted to sign requests with signerName "example.com/s"',
    )
    expect(await refusal(certificateSigning(allowing('sign signers.certificates.k8s.io example.com/s')).validate?.(answer))).to.equal(
      undefined,
    )
    expect(await refusal(certificateSigning(allowing()).validate?.(change('status', of('example.com/s'), of('example.com/s'))))).to.equal(
      undefined,
    )
  })

  it('require permission to attest for the trust bundles of a signer', async () => {
    const attest = (object: object, parts: object = {}, ...rights: string[]) =>
      refusal(clusterTrustBundleAttest(allowing(...rights)).validate?.(admissionRequest(bundles, object, { ctx, ...parts })))
    expect(await attest(of(''))).to.equal(undefined)
    expect(await attest(of('example.com/s'))).to.contain('not permitted to attest for signerName "example.com/s"')
    expect(await attest(of('example.com/s'), {}, 'attest signers.certificates.k8s.io example.com/*')).to.equal(undefined)
    const collected = { ...of('example.com/s'), metadata: { name: 'x', finalizers: ['a/b'] } }
    expect(await attest(collected, { operation: 'UPDATE', old: of('example.com/s') })).to.equal(undefined)
    expect(
      await attest({ ...collected, metadata: { name: 'x', labels: { a: 'b' } } }, { operation: 'UPDATE', old: of('example.com/s') }),
    ).to.contain('attest')
  })

  it('are checked on one operation and subresource each', () => {
    const handled = (plugin: AdmissionPlugin): string[] =>
      ['', 'status', 'approval'].flatMap(sub =>
        ['CREATE', 'UPDATE']
          .filter(operation => plugin.handles(admissionRequest(requests, {}, { operation, subresource: sub })))
          .map(operation => `${operation} ${sub}`),
      )
    const none = allowing()
    expect(
      [certificateApproval(none), certificateSigning(none), clusterTrustBundleAttest(none), certificateSubjectRestriction].map(handled),
    ).to.deep.equal([['UPDATE approval'], ['UPDATE status'], [], ['CREATE ']])
  })
})

describe('groups of certificate requests', () => {
  const requestFor = async (name: string): Promise<string> => {
    const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])) as never
    return (await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm } as never, webcrypto as never)).toString('pem')
  }
  const restricted = (pem: string, signer = CLIENT) =>
    refusal(
      certificateSubjectRestriction.validate?.(
        admissionRequest(requests, { metadata: { name: 'x' }, spec: { signerName: signer, request: Buffer.from(pem).toString('base64') } }),
      ),
    )

  it('are the organizations of the subject', async () =>
    expect(organizationsOf(await requestFor('O=a, O=b+CN=c, OU=d, O=ä'))).to.deep.equal(['a', 'b', 'ä']))

  it('may not contain system:masters for the kube-apiserver-client signer', async () => {
    const pem = await requestFor('O=devs, O=system:masters, CN=u')
    expect(await restricted(pem)).to.contain(`use of ${CLIENT} signer with system:masters group is not allowed`)
    expect(await restricted(pem, 'example.com/s')).to.equal(undefined)
    expect(await restricted(await requestFor('O=devs, CN=u'))).to.equal(undefined)
  })

  it('are refused if the request cannot be parsed', async () => expect(await restricted('garbage')).to.contain('failed to parse CSR'))
})
