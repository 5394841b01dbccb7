import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { BasicConstraintsExtension, X509CertificateGenerator } from '@peculiar/x509'
import { expect } from 'chai'
import type { ClusterTrustBundle } from '../../../../../src/api/certificates/v1beta1.types.ts'
import { clusterTrustBundleResource as resource } from '../../../../../src/resources/certificates/cluster-trust-bundle/definition.ts'
import { validateClusterTrustBundle } from '../../../../../src/resources/certificates/cluster-trust-bundle/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { causesOf, KindCases } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

async function certificate(isAuthority: boolean): Promise<string> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])) as never
  const extensions = [new BasicConstraintsExtension(isAuthority)]
  return `${(await X509CertificateGenerator.createSelfSigned({ name: 'CN=x', keys, signingAlgorithm, extensions } as never, webcrypto as never)).toString('pem')}\n`
}

const FIELD = 'spec.trustBundle: Invalid value: "<value omitted>":'

describe('ClusterTrustBundle', () => {
  let authority = ''
  let other = ''
  let leaf = ''
  before(async () => {
    authority = await certificate(true)
    other = await certificate(true)
    leaf = await certificate(false)
  })
  const refusedOf = (trustBundle: string): Promise<string[]> => messagesOf(new KindCases(resource).create({ spec: { trustBundle } }))

  it('requires unique CA certificates', async () => {
    expect(await refusedOf(authority + other)).to.deep.equal([])
    expect(await refusedOf(authority + leaf)).to.deep.equal([`${FIELD} entry 1 does not have the CA bit set`])
    expect(await refusedOf(authority + other + authority)).to.deep.equal([`${FIELD} duplicate trust anchor (indices [0 2])`])
    expect(await refusedOf('')).to.deep.equal([`${FIELD} at least one trust anchor must be provided`])
    expect(await refusedOf('x'.repeat(1024 * 1024 + 1))).to.deep.equal(['spec.trustBundle: Too long: may not be more than 1048576 bytes'])
  })

  it('validates a bundle of many certificates in steps', () => {
    const count = 1000
    const bundle: ClusterTrustBundle = {
      kind: 'ClusterTrustBundle',
      apiVersion: 'certificates.k8s.io/v1beta1',
      metadata: { name: 'x' },
      spec: { trustBundle: authority.repeat(count) },
    }
    const { result, yields } = countedSteps(validateClusterTrustBundle(bundle, undefined, { features: featuresOf() }))
    expect(yields).to.be.at.least(count / 32 - 1)
    expect(result).to.have.length(1)
    expect(JSON.stringify(result)).to.match(/duplicate trust anchor \(indices \[0 1 2 .* 999\]\)/)
  })

  it('refuses other blocks, PEM headers and certificates that do not parse', async () => {
    expect(await refusedOf(authority.replaceAll('CERTIFICATE', 'OTHER'))).to.deep.equal([`${FIELD} entry 0 has bad block type: OTHER`])
    expect(await refusedOf(authority.replace('\n', '\nA: b\n\n'))).to.deep.equal([`${FIELD} entry 0 has PEM block headers`])
    expect(await refusedOf(`-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n`)).to.deep.equal([
      `${FIELD} entry 0 does not parse as X.509`,
    ])
  })

  const names: [string, string, string[]][] = [
    ['', 'x', []],
    ['', 'a:b', ['metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name']],
    ['example.com/s', 'example.com:s:x', []],
    [
      'example.com/s',
      'x',
      ['metadata.name: Invalid value: "x": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:'],
    ],
  ]
  for (const [signerName, name, expected] of names) {
    it(`checks the name ${name} with ${signerName || 'no signer'}`, async () =>
      expect(await messagesOf(new KindCases(resource).create({ spec: { signerName, trustBundle: authority } }, { name }))).to.deep.equal(
        expected,
      ))
  }

  it('keeps its signer and does not revalidate an unchanged bundle', async () => {
    const cases = new KindCases(resource)
    await cases.create({ spec: { trustBundle: authority } })
    const [stored] = cases.server.objects.values()
    if (stored) stored.spec.trustBundle = 'of old'
    expect(await causesOf(cases.update({ spec: { trustBundle: 'of old' } }, { labels: { a: 'b' } }))).to.deep.equal([])
    expect(await causesOf(cases.update({ spec: { trustBundle: other, signerName: 'example.com/s' } }))).to.deep.equal([
      'Invalid metadata.name',
      'Invalid spec.signerName',
    ])
    expect(cases.cells()).to.deep.equal(['x', '<none>'])
  })
})
