import { expect } from 'chai'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { withConversions } from '../../../src/registry/conversion/webhook.ts'
import { registryFormOf } from '../../../src/registry/registry-form.ts'
import { failureText, link, linkResource, linkVersion, reviewed } from '../../support/conversion.ts'
import { widgetResource } from '../../support/test-registry.ts'

const object = link('v1', 'a', { hostPort: 'h:1' })

describe('conversions for managed fields', () => {
  it('are not needed for one version', () => {
    const definition = widgetResource()
    expect(registryFormOf(definition.hub.schema).managers({ definition, version: definition.hub })).to.equal(undefined)
  })

  it('call the webhook once for each conversion', async () => {
    let calls = 0
    const definition = linkResource(review => {
      calls++
      return reviewed(review)
    })
    const served = { definition, version: linkVersion(definition, 'v1') }
    let runs = 0
    const result = await withConversions(served, definition.converter!, convert => {
      runs++
      const found = [object, link('v1', 'b', {}), object].map(each => runAtOnce(convert(each, 'example.com/v2')).object)
      return found
    })
    const a = link('v2', 'a', { host: 'h', port: '1' })
    expect(result).to.deep.equal([a, link('v2', 'b', {}), a])
    expect([calls, runs]).to.deep.equal([2, 3])
  })

  it('fail if the definition does not have the version', async () => {
    const definition = linkResource(() => ({}))
    const served = { definition, version: linkVersion(definition, 'v1') }
    const failing = withConversions(served, definition.converter!, convert => convert?.(object, 'example.com/v0'))
    expect(await failureText(failing)).to.equal('request to convert CR to an invalid group/version: example.com/v0')
  })

  it('do not call the webhook for an object that does not exist yet', async () => {
    const definition = linkResource(() => ({}))
    const served = { definition, version: linkVersion(definition, 'v1') }
    const empty = { apiVersion: 'example.com/v1', kind: 'Link', metadata: {} } as typeof object
    expect(
      await withConversions(served, definition.converter!, convert => runAtOnce(convert(empty, 'example.com/v2')).object),
    ).to.deep.equal({
      ...empty,
      apiVersion: 'example.com/v2',
    })
  })

  /** Recorded from the Kubernetes machinery 1.33.9, of a kind with a conversion webhook. */
  const failing: readonly (readonly [what: string, converted: object | undefined, message: string])[] = [
    ['a failing webhook', undefined, 'conversion webhook for example.com/v1, Kind=Link failed: '],
    [
      'an undeclared field',
      { ...object, apiVersion: 'example.com/v2', spec: { unknown: 1 } },
      '.spec.unknown: field not declared in schema',
    ],
    ['an invalid spec', { ...object, apiVersion: 'example.com/v2', spec: 'x' }, '.spec: expected map, got &{x}'],
  ]
  for (const [what, converted, message] of failing)
    it(`fail an apply with only the conversion's message: ${what}`, async () => {
      const definition = linkResource(review => (converted ? reviewed(review, () => converted) : {}))
      const served = { definition, version: linkVersion(definition, 'v1') }
      const running = withConversions(served, definition.converter!, convert => runAtOnce(convert(object, 'example.com/v2')))
      expect(await failureText(running)).to.contain(message)
      expect(await running.catch(error => error)).to.include({ name: 'ApplyError', code: 'internal' })
    })
})
