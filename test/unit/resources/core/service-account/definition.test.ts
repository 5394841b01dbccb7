import { expect } from 'chai'
import { createServiceAccountResource } from '../../../../../src/resources/core/service-account/definition.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { KindCases } from '../../../../support/kind-cases.ts'

const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' }

describe('service accounts', () => {
  it('refer to secrets by name only', async () => {
    const cases = new KindCases(createServiceAccountResource(undefined, featuresOf()))
    const made = await cases.create({ secrets: [{ name: 'a', namespace: 'b', kind: 'Secret' }] })
    expect(made.secrets).to.deep.equal([{ name: 'a' }])
    expect(cases.cells()).to.deep.equal(['x', 1, '0s'])
  })

  it('warn about a deprecated annotation, once', async () => {
    const cases = new KindCases(createServiceAccountResource(undefined, featuresOf()))
    await cases.create({}, { annotations })
    await cases.update({}, { annotations })
    expect(cases.server.warnings).to.deep.equal([
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ])
  })
})
