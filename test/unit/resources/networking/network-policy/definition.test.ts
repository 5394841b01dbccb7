import { expect } from 'chai'
import { networkPolicyResource } from '../../../../../src/resources/networking/network-policy/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { hookContext } from '../../../../support/hook-context.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { kindErrors } from '../../../../support/kind-errors.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const podSelector = { matchLabels: { a: 'b' } }
const policy = (spec: object = {}): object => ({ spec: { podSelector, ...spec } })
const port = (...ports: object[]): object => policy({ egress: [{ ports }] })
const peer = (...from: object[]): object => policy({ ingress: [{ from }] })
const block = (cidr: string, ...except: string[]): object => peer({ ipBlock: { cidr, except } })
const PORT = 'spec.egress[0].ports[0]'
const PEER = 'spec.ingress[0].from[0]'
const badSelector = { matchLabels: { a: 'not valid!' } }

describe('NetworkPolicy', () => {
  validates(
    networkPolicyResource,
    {
      'of all pods': [{ spec: {} }, []],
      'ports of all forms': [port({}, { port: 80 }, { port: 80, endPort: 80 }, { protocol: 'SCTP', port: 'dns' }), []],
      'peers of all forms': [
        peer({ podSelector: {} }, { namespaceSelector: {} }, { podSelector, namespaceSelector: {} }, { ipBlock: { cidr: '::/0' } }),
        [],
      ],
      'a block with exceptions': [block('10.0.0.0/8', '10.1.0.0/16', '10.2.3.4/32'), []],
      'a block of IPv6 with an exception': [block('fd00:192:168::/48', 'fd00:192:168:3::/64'), []],
      'a bad selector': [policy({ podSelector: badSelector }), ['Invalid spec.podSelector.matchLabels']],
      'another protocol': [port({ protocol: 'ICMP' }), [`NotSupported ${PORT}.protocol`]],
      'a port out of range': [port({ port: 70000 }), [`Invalid ${PORT}.port`]],
      'a bad port name': [port({ port: 'd--s' }), [`Invalid ${PORT}.port`]],
      'an end before the start': [port({ port: 80, endPort: 79 }), [`Invalid ${PORT}.endPort`]],
      'an end out of range': [port({ port: 80, endPort: 70000 }), [`Invalid ${PORT}.endPort`]],
      'an end of a name': [port({ port: 'dns', endPort: 90 }), [`Invalid ${PORT}.endPort`]],
      'an end without a start': [port({ endPort: 90 }), [`Invalid ${PORT}.endPort`]],
      'no peer': [peer({}), [`Required ${PEER}`]],
      'a block and a selector': [peer({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }), [`Forbidden ${PEER}`]],
      'bad selectors of a peer': [
        peer({ podSelector: badSelector, namespaceSelector: badSelector }),
        [`Invalid ${PEER}.podSelector.matchLabels`, `Invalid ${PEER}.namespaceSelector.matchLabels`],
      ],
      'no block': [block(''), [`Required ${PEER}.ipBlock.cidr`]],
      'a bad block': [block('10.0.0.0', '10.1.0.0/16'), [`Invalid ${PEER}.ipBlock.cidr`]],
      'exceptions that are not inside': [
        block('192.168.8.0/24', '192.168.9.1/28', '192.168.8.0/24', '192.168.8.0', '::/64', '192.0.0.0/8'),
        [0, 1, 2, 3, 4].map(i => `Invalid ${PEER}.ipBlock.except[${i}]`),
      ],
      'peers of egress': [policy({ egress: [{}, { to: [{ podSelector: {} }, {}] }] }), ['Required spec.egress[1].to[1]']],
      'another type': [policy({ policyTypes: ['Egress', 'Sideways'] }), ['NotSupported spec.policyTypes[1]']],
      'three types': [policy({ policyTypes: ['Ingress', 'Egress', 'Ingress'] }), ['Invalid spec.policyTypes']],
    },
    {
      'any part': [policy(), peer({ podSelector: {} }), []],
      'to an invalid value, reported twice': [policy(), peer({}), [`Required ${PEER}`, `Required ${PEER}`]],
    },
  )

  it('prints the given policy types in the error', async () => {
    expect(
      await messagesOf(new KindCases(networkPolicyResource).create(policy({ policyTypes: ['Ingress', 'Egress', 'Ingress'] }))),
    ).to.deep.equal([
      'spec.policyTypes: Invalid value: []networking.PolicyType{"Ingress", "Egress", "Ingress"}: may not specify more than two policyTypes',
    ])
  })

  it('keeps invalid label values on update', () => {
    const validate = (next: AnyObject, old: AnyObject | undefined) => kindErrors(networkPolicyResource.strategy, next, old, hookContext())
    const cases = new KindCases(networkPolicyResource)
    const expression = { matchExpressions: [{ key: 'a', operator: 'In', values: ['not valid!'] }] }
    const bad = cases.body(policy({ podSelector: expression, policyTypes: ['Ingress'] }))
    expect(validate(bad, undefined)).to.have.length(1)
    expect(validate(bad, bad)).to.deep.equal([])
  })

  const types: [object, string[]][] = [
    [{}, ['Ingress']],
    [{ egress: [] }, ['Ingress']],
    [{ egress: [{}] }, ['Ingress', 'Egress']],
    [{ egress: [{}], policyTypes: ['Egress'] }, ['Egress']],
  ]
  for (const [spec, policyTypes] of types) {
    it(`defaults the policy types to ${policyTypes} for ${JSON.stringify(spec)}`, async () => {
      expect((await new KindCases(networkPolicyResource).create(policy(spec))).spec.policyTypes).to.deep.equal(policyTypes)
    })
  }

  it('defaults the protocol to TCP and increments the generation on spec changes', async () => {
    const cases = new KindCases(networkPolicyResource)
    const ports = [{ port: 53 }, { protocol: 'UDP' }]
    const made = await cases.create(policy({ ingress: [{ ports }], egress: [{ ports }] }))
    for (const rule of [made.spec.ingress[0], made.spec.egress[0]])
      expect(rule.ports).to.deep.equal([{ protocol: 'TCP', port: 53 }, { protocol: 'UDP' }])
    expect(made.metadata.generation).to.equal(1)
    expect((await cases.update(policy())).metadata.generation).to.equal(2)
    expect((await cases.update(policy(), { labels: { a: 'b' } })).metadata.generation).to.equal(2)
  })

  it('warns about non-canonical CIDRs', async () => {
    const cases = new KindCases(networkPolicyResource)
    await cases.create(
      policy({ ingress: [{ from: [{ podSelector: {} }, { ipBlock: { cidr: '10.1.2.3/8', except: ['10.1.0.0/16', '10.02.0.0/16'] } }] }] }),
    )
    expect(cases.server.warnings).to.deep.equal([
      'spec.ingress[0].from[1].ipBlock.cidr: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
      'spec.ingress[0].from[1].ipBlock.except[1]: non-standard CIDR value "10.02.0.0/16" will be considered invalid in a future Kubernetes release: use "10.2.0.0/16"',
    ])
  })

  it('prints its pod selector', async () => {
    const cases = new KindCases(networkPolicyResource)
    await cases.create(policy())
    expect(cases.cells()).to.deep.equal(['x', 'a=b', '0s'])
    await cases.update({ spec: {} })
    expect(cases.cells()?.[1]).to.equal('<none>')
  })
})
