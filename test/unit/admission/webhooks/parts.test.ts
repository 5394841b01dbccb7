import { expect } from 'chai'
import { Reinvocation } from '../../../../src/admission/reinvocation.ts'
import { managersFault } from '../../../../src/admission/valid-managers.ts'
import { WebhookConfigurations } from '../../../../src/admission/webhooks/configurations.ts'
import { reviewVersionOf } from '../../../../src/admission/webhooks/review.ts'
import { serviceAddress } from '../../../../src/admission/webhooks/service-address.ts'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { refusal } from '../../../support/admission-request.ts'
import { configuration } from '../../../support/webhooks/webhook-world.ts'

describe('WebhookConfigurations', () => {
  const idsOf = ({ hooks }: WebhookConfigurations): string[] => hooks.map(({ id }) => id)
  const two = [{ name: 'x.example.com' }, { name: 'x.example.com' }, { name: 'y.example.com' }]

  it('orders webhooks by configuration name, then as configured', () => {
    const known = new WebhookConfigurations('validating')
    known.put(configuration('b', two))
    known.put(configuration('a', [{ name: 'z.example.com' }]))
    expect(idsOf(known)).to.deep.equal(['a/z.example.com/0', 'b/x.example.com/0', 'b/x.example.com/1', 'b/y.example.com/0'])
    known.remove('b')
    expect(idsOf(known)).to.deep.equal(['a/z.example.com/0'])
  })

  it('recompiles if the generation or UID changes', () => {
    const known = new WebhookConfigurations('mutating')
    const first = configuration('a', two)
    known.put(first)
    const before = known.hooks
    known.put({ ...first, metadata: { ...first.metadata, labels: { l: 'x' } } })
    expect(known.hooks).to.equal(before)
    known.put({ ...first, metadata: { ...first.metadata, generation: 2 }, webhooks: [] })
    expect(known.hooks).to.deep.equal([])
    known.put({ ...first, metadata: { ...first.metadata, generation: 2, uid: 'other' } })
    expect(known.hooks.length).to.equal(3)
  })
})

describe('Reinvocation', () => {
  const object = (size: number): KubeObject => ({ kind: 'Widget', apiVersion: 'v1', metadata: {}, spec: { size } })

  it('selects those with IfNeeded that ran before a change', () => {
    const round = new Reinvocation()
    round.asked('a', true)
    round.asked('b', false)
    round.changed()
    round.asked('c', true)
    expect(['a', 'b', 'c'].map(id => round.isDue(id))).to.deep.equal([true, false, false])
  })

  it('selects all with IfNeeded if another plugin has changed the object since', () => {
    const round = new Reinvocation()
    round.asked('a', true)
    round.end(object(1))
    round.begin(object(1))
    expect(round.isDue('a')).to.equal(false)
    round.begin(object(2))
    expect(round.isDue('a')).to.equal(true)
  })
})

describe('serviceAddress', () => {
  const services: Record<string, object> = {
    plain: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [{ port: 443 }, { port: 8443 }] },
    node: { type: 'NodePort', clusterIP: '10.0.0.8', ports: [{ port: 443 }] },
    headless: { type: 'ClusterIP', clusterIP: 'None', ports: [{ port: 443 }] },
    elsewhere: { type: 'ExternalName', externalName: 'hooks.example.com' },
  }
  const address = serviceAddress(async (_namespace, name) => {
    if (!services[name]) throw notFoundError({ group: '', resource: 'services' }, name)
    return { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec: services[name] }
  })

  it('returns cluster IPs, or external names', async () => {
    expect(await address('ns', 'plain', 8443)).to.deep.equal({ host: '10.0.0.7', port: 8443 })
    expect(await address('ns', 'node', 443)).to.deep.equal({ host: '10.0.0.8', port: 443 })
    expect(await address('ns', 'elsewhere', 9443)).to.deep.equal({ host: 'hooks.example.com', port: 9443 })
  })

  const FAULTS: [name: string, port: number, text: string][] = [
    ['none', 443, 'service "none" not found'],
    ['headless', 443, 'cannot route to service with ClusterIP "None"'],
    ['plain', 80, 'no service port 80 found for service "plain"'],
  ]
  for (const [name, port, text] of FAULTS)
    it(`are refused: ${text}`, async () => expect(await refusal(address('ns', name, port))).to.equal(text))
})

describe('managersFault', () => {
  const good = { manager: 'm', operation: 'Update' as const, apiVersion: 'v1', fieldsType: 'FieldsV1' }
  const CASES: [what: string, entry: object, text: string | undefined][] = [
    ['unchanged', {}, undefined],
    ['of an unknown operation', { operation: 'Odd' }, 'operation must be `Apply` or `Update`'],
    ['without a version', { apiVersion: '' }, 'apiVersion must not be empty'],
    ['without a type', { fieldsType: undefined }, 'missing fieldsType in managed fields entry 1'],
    ['of another type', { fieldsType: 'FieldsV2' }, 'invalid fieldsType "FieldsV2" in managed fields entry 1'],
  ]
  for (const [what, entry, text] of CASES)
    it(what, () => expect(managersFault([good, { ...good, ...entry }] as (typeof good)[])).to.equal(text))
})

describe('reviewVersionOf', () => {
  it('returns the first supported version', () => {
    expect(reviewVersionOf(['v2', 'v1beta1', 'v1'])).to.equal('v1beta1')
    expect(reviewVersionOf(['v1', 'v1beta1'])).to.equal('v1')
    expect(reviewVersionOf(['v2'])).to.equal(undefined)
  })
})
