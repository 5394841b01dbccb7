import { expect } from 'chai'
import type { ResourceDefinition, Version } from '../../../src/catalog/definition.ts'
import { checkIsBuilt, servedDefinitions } from '../../../src/catalog/served.ts'
import { widgetResource } from '../../support/test-registry.ts'

const widgets = widgetResource()
const inVersions = (...names: string[]): ResourceDefinition => {
  const versions = names.map((name): Version => ({ ...widgets.hub, name })) as [Version, ...Version[]]
  return { ...widgets, versions, hub: versions[0] }
}
const namesOf = (versions: readonly Version[] | undefined): string[] | undefined => versions?.map(({ name }) => name)

describe('servedDefinitions', () => {
  const cases: [versions: string[], served: string[], expected: object[]][] = [
    [['v1'], ['v1'], [{ versions: ['v1'], unserved: undefined, internal: undefined }]],
    [['v1', 'v1beta1'], ['v1'], [{ versions: ['v1'], unserved: ['v1beta1'], internal: undefined }]],
    [['v1', 'v1beta1'], ['v1beta1'], [{ versions: ['v1beta1'], unserved: ['v1'], internal: undefined }]],
    [['v1', 'v1beta1'], [], [{ versions: ['v1', 'v1beta1'], unserved: ['v1', 'v1beta1'], internal: true }]],
    [['v1beta1', 'v1alpha1'], [], []],
  ]
  for (const [versions, served, expected] of cases)
    it(`selects from ${versions.join(', ')}: ${served.join(', ')}`, () => {
      const found = servedDefinitions([inVersions(...versions)], ({ version }) => served.includes(version))
      expect(
        found.map(each => ({ versions: namesOf(each.versions), unserved: namesOf(each.unserved), internal: each.internal })),
      ).to.deep.equal(expected)
    })

  it('removes a kind without a GA version in the release, unless the server needs it', () => {
    const beta = inVersions('v1', 'v1beta1')
    const without = (definition: ResourceDefinition) =>
      servedDefinitions(
        [definition],
        () => false,
        ({ version }) => version !== 'v1',
      )
    expect(without(beta)).to.deep.equal([])
    expect(without({ ...beta, neededByServer: true })[0]?.internal).to.equal(true)
  })

  it('keeps a definition that is served completely, or is internal', () => {
    const internal = { ...inVersions('v1alpha1'), internal: true }
    const all = inVersions('v1')
    expect(servedDefinitions([all], () => true)[0]).to.equal(all)
    expect(servedDefinitions([internal], () => false)[0]).to.equal(internal)
  })
})

describe('checkIsBuilt', () => {
  const at = (group: string, name: string): ResourceDefinition => {
    const hub = { ...widgets.hub, group, name, names: { plural: 'servicecidrs', singular: 'servicecidr' } }
    return { ...widgets, versions: [hub], hub }
  }
  const cases: [key: string, message: string | undefined][] = [
    ['networking.k8s.io/v1=true', undefined],
    ['networking.k8s.io/v1/servicecidrs=true', undefined],
    ['networking.k8s.io/v1/ipaddresses=true', '--runtime-config: networking.k8s.io/v1/ipaddresses=true: this server does not have it'],
    ['networking.k8s.io/v1beta1=true', '--runtime-config: networking.k8s.io/v1beta1=true: this server does not have it'],
    ['networking.k8s.io/v1beta1=false', undefined],
    ['apps/v1beta1=true', undefined],
    ['api/all=true', undefined],
  ]
  for (const [key, message] of cases)
    it(`${message === undefined ? 'accepts' : 'rejects'} ${key}`, () => {
      const check = () => checkIsBuilt([at('networking.k8s.io', 'v1')], '1.33', new Map([[key.split('=')[0] ?? '', key.endsWith('=true')]]))
      if (message === undefined) check()
      else expect(check).to.throw(message)
    })

  it('rejects versions of later releases, unless they may be named', () => {
    const check = (key: string, byName = false) =>
      checkIsBuilt(
        [
          {
            ...widgets,
            versions: [
              {
                ...widgets.hub,
                group: 'resource.k8s.io',
                name: 'v1',
                kind: 'DeviceClass',
                names: { plural: 'deviceclasses', singular: 'deviceclass' },
              },
            ],
          },
        ],
        '1.33',
        new Map([[key, true]]),
        { byName },
      )
    const consider = 'Consider setting --runtime-config-emulation-forward-compatible=true'
    expect(() => check('resource.k8s.io/v1')).to.throw(
      `cannot enable version resource.k8s.io/v1 in runtime-config because all the resources have been introduced after the current version 1.33. ${consider}`,
    )
    expect(() => check('resource.k8s.io/v1/deviceclasses')).to.throw(
      `cannot enable resource resource.k8s.io/v1, Resource=deviceclasses in runtime-config because it is introduced at 1.34 after the current version 1.33. ${consider}`,
    )
    check('resource.k8s.io/v1', true)
  })
})
