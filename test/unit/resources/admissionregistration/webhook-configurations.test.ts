import { expect } from 'chai'
import { mutatingWebhookConfigurationResource } from '../../../../src/resources/admissionregistration/mutating-webhook-configuration/definition.ts'
import { validatingWebhookConfigurationResource } from '../../../../src/resources/admissionregistration/validating-webhook-configuration/definition.ts'
import { KindCases, validates } from '../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../support/workloads.ts'

const rule = { operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'] }
const service = { namespace: 'ns', name: 'hook' }
/** A configuration with one webhook, which is valid except for the given fields. */
const hook = (parts: object = {}): object => ({
  name: 'hook.example.com',
  clientConfig: { url: 'https://hook.example.com/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [rule],
  ...parts,
})
const of = (parts: object = {}): object => ({ webhooks: [hook(parts)] })
const client = (clientConfig: object): object => of({ clientConfig })
const ruled = (parts: object): object => of({ rules: [{ ...rule, ...parts }] })
const resources = (...names: string[]): object => ruled({ resources: names })
const badLabel = { matchLabels: { a: '?' } }
const badValue = { matchExpressions: [{ key: 'a', operator: 'In', values: ['?'] }] }

describe('ValidatingWebhookConfiguration', () => {
  validates(
    validatingWebhookConfigurationResource,
    {
      'no webhooks': [{}, []],
      'a webhook': [of(), []],
      'no name': [of({ name: '' }), ['Required webhooks[0].name']],
      'a short name': [of({ name: 'example.com' }), ['Invalid webhooks[0].name']],
      'a bad name': [of({ name: 'a_b.example.com' }), ['Invalid webhooks[0].name']],
      'a name twice': [{ webhooks: [hook(), hook()] }, ['Duplicate webhooks[1].name']],
      'no operations': [ruled({ operations: [] }), ['Required webhooks[0].rules[0].operations']],
      'all operations and one': [ruled({ operations: ['*', 'CREATE'] }), ['Invalid webhooks[0].rules[0].operations']],
      'an unknown operation': [ruled({ operations: ['GET'] }), ['NotSupported webhooks[0].rules[0].operations[0]']],
      'empty lists': [
        ruled({ apiGroups: [], apiVersions: [], resources: [] }),
        ['Required webhooks[0].rules[0].apiGroups', 'Required webhooks[0].rules[0].apiVersions', 'Required webhooks[0].rules[0].resources'],
      ],
      'all groups and one': [ruled({ apiGroups: ['*', 'a'] }), ['Invalid webhooks[0].rules[0].apiGroups']],
      'all versions and one': [ruled({ apiVersions: ['*', 'v1'] }), ['Invalid webhooks[0].rules[0].apiVersions']],
      'an empty version': [ruled({ apiVersions: [''] }), ['Required webhooks[0].rules[0].apiVersions[0]']],
      'the core group': [ruled({ apiGroups: [''] }), []],
      'an empty resource': [resources('a', ''), ['Required webhooks[0].rules[0].resources[1]']],
      subresources: [resources('a', 'a/b', '*/c', 'd/*'), []],
      'a subresource again': [resources('a/*', 'a/b'), ['Invalid webhooks[0].rules[0].resources[1]']],
      'a subresource of all again': [resources('*/b', 'a/b'), ['Invalid webhooks[0].rules[0].resources[1]']],
      'everything and one': [resources('*/*', 'a'), ['Invalid webhooks[0].rules[0].resources']],
      'all resources and one': [resources('*', 'a'), ['Invalid webhooks[0].rules[0].resources']],
      'all resources and a subresource': [resources('*', 'a/b'), []],
      'an unknown scope': [ruled({ scope: 'Galaxy' }), ['NotSupported webhooks[0].rules[0].scope']],
      'unknown policies': [
        of({ failurePolicy: 'x', matchPolicy: 'y' }),
        ['NotSupported webhooks[0].failurePolicy', 'NotSupported webhooks[0].matchPolicy'],
      ],
      'no sideEffects': [of({ sideEffects: undefined }), ['Required webhooks[0].sideEffects']],
      'side effects': [of({ sideEffects: 'Some' }), ['NotSupported webhooks[0].sideEffects']],
      'no time': [of({ timeoutSeconds: 0 }), ['Invalid webhooks[0].timeoutSeconds']],
      'too much time': [of({ timeoutSeconds: 31 }), ['Invalid webhooks[0].timeoutSeconds']],
      'bad selectors': [
        of({ namespaceSelector: badLabel, objectSelector: badValue }),
        ['Invalid webhooks[0].namespaceSelector.matchLabels', 'Invalid webhooks[0].objectSelector.matchExpressions[0].values[0]'],
      ],
      'neither URL nor service': [client({}), ['Required webhooks[0].clientConfig']],
      'URL and service': [client({ url: 'https://a.example.com', service }), ['Required webhooks[0].clientConfig']],
      'a plain URL with query, fragment and user': [
        client({ url: 'http://user@a.example.com/?a=b#c' }),
        [
          'Invalid webhooks[0].clientConfig.url',
          'Invalid webhooks[0].clientConfig.url',
          'Invalid webhooks[0].clientConfig.url',
          'Invalid webhooks[0].clientConfig.url',
        ],
      ],
      'no URL': [client({ url: 'https://a b/' }), ['Required webhooks[0].clientConfig.url']],
      'a service': [client({ service: { ...service, path: '/a/b.c/', port: 8443 } }), []],
      'a service without namespace': [client({ service: { name: 'hook' } }), ['Required webhooks[0].clientConfig.service.name']],
      'a service without name': [client({ service: { namespace: 'ns' } }), ['Required webhooks[0].clientConfig.service.namespace']],
      'a service on no port': [client({ service: { ...service, port: 65536 } }), ['Invalid webhooks[0].clientConfig.service.port']],
      'a relative path': [client({ service: { ...service, path: 'foo/' } }), ['Invalid webhooks[0].clientConfig.service.path']],
      'a path with empty and bad segments': [
        client({ service: { ...service, path: '/a//_b' } }),
        ['Invalid webhooks[0].clientConfig.service.path', 'Invalid webhooks[0].clientConfig.service.path'],
      ],
      'a condition': [of({ matchConditions: [{ name: 'example.com/c', expression: 'true' }] }), []],
      'an empty condition': [
        of({ matchConditions: [{ name: '', expression: ' ' }] }),
        ['Required webhooks[0].matchConditions[0].expression', 'Required webhooks[0].matchConditions[0].name'],
      ],
      'a condition that does not parse': [
        of({ matchConditions: [{ name: 'c', expression: '1 +' }] }),
        ['Invalid webhooks[0].matchConditions[0].expression'],
      ],
      'a condition of parameters': [
        of({ matchConditions: [{ name: 'c', expression: 'params.x' }] }),
        ['Invalid webhooks[0].matchConditions[0].expression'],
      ],
      'a condition twice': [
        of({ matchConditions: [1, 2].map(() => ({ name: 'c', expression: 'true' })) }),
        ['Duplicate webhooks[0].matchConditions[1].name'],
      ],
      'too many conditions': [
        of({ matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })) }),
        ['TooMany webhooks[0].matchConditions'],
      ],
      'no review versions': [of({ admissionReviewVersions: [] }), ['Required webhooks[0].admissionReviewVersions']],
      'unknown review versions': [of({ admissionReviewVersions: ['v0'] }), ['Invalid webhooks[0].admissionReviewVersions']],
      'a bad review version beside a good one': [
        of({ admissionReviewVersions: ['v1', '1'] }),
        ['Invalid webhooks[0].admissionReviewVersions[1]'],
      ],
    },
    { 'to a fault': [of(), of({ sideEffects: 'Some' }), ['NotSupported webhooks[0].sideEffects']] },
  )

  it('accepts invalid values on update that are stored already', async () => {
    const cases = new KindCases(validatingWebhookConfigurationResource)
    await cases.create(of())
    const faulty = {
      sideEffects: 'Some',
      admissionReviewVersions: ['v0'],
      objectSelector: badValue,
      matchConditions: [{ name: 'c', expression: '' }],
    }
    const stored = cases.server.objects.get('validatingwebhookconfigurations/x')
    Object.assign(stored ?? {}, { webhooks: [hook(faulty), hook(faulty)] })
    expect(await messagesOf(cases.update({ webhooks: [hook({ ...faulty, timeoutSeconds: 5 }), hook(faulty)] }))).to.deep.equal([])
    expect(await messagesOf(cases.update(of({ ...faulty, sideEffects: 'Other' })))).to.deep.equal([
      'webhooks[0].sideEffects: Unsupported value: "Other": supported values: "None", "NoneOnDryRun", "Some", "Unknown"',
      'webhooks[0].matchConditions[0].expression: Required value',
    ])
  })

  it('reports errors in URLs', async () => {
    const cases = new KindCases(validatingWebhookConfigurationResource)
    expect(await messagesOf(cases.create(client({ url: 'http://a.example.com:x' })))).to.deep.equal([
      'webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "http://a.example.com:x": invalid port ":x" after host; desired format: https://host[/path]',
    ])
    expect(await messagesOf(cases.create(client({ url: 'https:///x' })))).to.deep.equal([
      'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ])
  })

  it('has defaults, increments the generation and prints', async () => {
    const cases = new KindCases(validatingWebhookConfigurationResource)
    const { metadata, webhooks } = await cases.create(client({ service }))
    expect(metadata.generation).to.equal(1)
    expect(webhooks[0]).to.deep.include({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      namespaceSelector: {},
      objectSelector: {},
    })
    expect(webhooks[0]).to.not.have.property('reinvocationPolicy')
    expect([webhooks[0].rules[0].scope, webhooks[0].clientConfig.service.port]).to.deep.equal(['*', 443])
    expect((await cases.update(client({ service }), { labels: { a: 'b' } })).metadata.generation).to.equal(1)
    expect((await cases.update({ webhooks: [hook(), hook({ name: 'b.example.com' })] })).metadata.generation).to.equal(2)
    expect(cases.cells()).to.deep.equal(['x', 2, '0s'])
  })
})

describe('MutatingWebhookConfiguration', () => {
  validates(mutatingWebhookConfigurationResource, {
    'a webhook': [of({ reinvocationPolicy: 'IfNeeded' }), []],
    'an unknown policy, before the client': [
      of({ reinvocationPolicy: 'Always', clientConfig: {} }),
      ['NotSupported webhooks[0].reinvocationPolicy', 'Required webhooks[0].clientConfig'],
    ],
  })

  it('defaults reinvocationPolicy to Never', async () => {
    const { webhooks } = await new KindCases(mutatingWebhookConfigurationResource).create(of())
    expect(webhooks[0]).to.deep.include({ reinvocationPolicy: 'Never', failurePolicy: 'Fail' })
  })
})
