import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import type { Version } from '../../../../src/catalog/definition.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { clone } from '../../../../src/meta/equal.ts'
import { convert, normalized } from '../../../../src/registry/conversion/convert.ts'
import { internalContext } from '../../../../src/registry/internal-context.ts'
import { priorityLevelConfigurationResource } from '../../../../src/resources/flowcontrol/priority-level-configuration/definition.ts'
import { decode } from '../../../../src/schema/decode.ts'
import type { AnyObject } from '../../../support/any-object.ts'
import { hookContext } from '../../../support/hook-context.ts'
import { NEVER } from '../../../support/test-registry.ts'

const KEEP_ZERO = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'
const definition = priorityLevelConfigurationResource
const versions = new Map(definition.versions.map(version => [version.name, version]))
const named = (name: string): Version => versions.get(name)!

/** A priority level of a version, decoded and defaulted, with the given members of `limited` and annotations. */
function level(version: string, limited: object, annotations?: Record<string, string>): AnyObject {
  const { kind, group, schema, setDefaults } = named(version)
  const body = {
    metadata: { name: 'x', ...(annotations && { annotations }) },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
  }
  const object = { kind, apiVersion: `${group}/${version}`, ...decode(schema, clone(body) as Json) } as unknown as AnyObject
  setDefaults?.(object)
  return object
}

const inVersion = (object: AnyObject, from: string, to: string): AnyObject =>
  normalized(named(to), convert(definition, clone(object), named(from), named(to))) as AnyObject

const shares = ({ spec: { limited }, metadata }: AnyObject) => [
  limited.nominalConcurrencyShares ?? limited.assuredConcurrencyShares,
  metadata.annotations,
]

describe('versions of PriorityLevelConfiguration', () => {
  const given: [what: string, version: string, limited: object, annotations: Record<string, string> | undefined, inHub: unknown[]][] = [
    ['v1 without shares', 'v1', {}, undefined, [30, undefined]],
    ['v1 with a zero', 'v1', { nominalConcurrencyShares: 0 }, undefined, [0, undefined]],
    ['v1beta3 without shares', 'v1beta3', {}, undefined, [30, undefined]],
    ['v1beta3 with a zero', 'v1beta3', { nominalConcurrencyShares: 0 }, undefined, [30, undefined]],
    ['v1beta3 with a zero that is meant', 'v1beta3', { nominalConcurrencyShares: 0 }, { [KEEP_ZERO]: '', a: 'b' }, [0, { a: 'b' }]],
    ['v1beta3 with the annotation without need', 'v1beta3', { nominalConcurrencyShares: 5 }, { [KEEP_ZERO]: '' }, [5, undefined]],
    ['v1beta2 without shares', 'v1beta2', {}, undefined, [30, undefined]],
    ['v1beta2 with a zero', 'v1beta2', { assuredConcurrencyShares: 0 }, undefined, [30, undefined]],
    ['v1beta2', 'v1beta2', { assuredConcurrencyShares: 7 }, undefined, [7, undefined]],
    ['v1beta1', 'v1beta1', { assuredConcurrencyShares: 7 }, undefined, [7, undefined]],
  ]
  for (const [what, version, limited, annotations, inHub] of given)
    it(`${what} in the hub version`, () => {
      const object = level(version, limited, annotations)
      expect(object.spec.limited.lendablePercent).to.equal(0)
      expect(shares(inVersion(object, version, 'v1'))).to.deep.equal(inHub)
    })

  it('represent zero shares in each version', () => {
    const zero = level('v1', { nominalConcurrencyShares: 0 })
    expect(shares(inVersion(zero, 'v1', 'v1beta3'))).to.deep.equal([0, { [KEEP_ZERO]: '' }])
    expect(shares(inVersion(zero, 'v1', 'v1beta2'))).to.deep.equal([0, undefined])
  })

  it('keep the other limits', () => {
    const full = level('v1', { nominalConcurrencyShares: 9, lendablePercent: 3, borrowingLimitPercent: 4 })
    for (const name of ['v1beta3', 'v1beta2', 'v1beta1'])
      expect(inVersion(inVersion(full, 'v1', name), name, 'v1'), name).to.deep.equal(normalized(named('v1'), full))
  })

  const judged = (release: Release, version: string, next: AnyObject, old?: AnyObject): string[] => {
    const request = internalContext({ verb: 'update', version }, NEVER, 0)
    const result = definition.strategy?.validate?.(next, old, hookContext({ features: parseGates(release), request })) ?? []
    return (Array.isArray(result) ? result : runAtOnce(result)).map(({ field, body }) => `${field}: ${body}`)
  }

  it('reject zero shares while an older release may read them as 30, unless stored already', () => {
    const zero = level('v1', { nominalConcurrencyShares: 0 })
    expect(judged('1.29', 'v1', zero)).to.deep.equal(['spec.limited.nominalConcurrencyShares: Invalid value: 0: must be positive'])
    expect(judged('1.29', 'v1', zero, zero)).to.deep.equal([])
    expect(judged('1.30', 'v1', zero)).to.deep.equal([])
  })

  it('name the field in the version of the request', () => {
    const negative = level('v1', { nominalConcurrencyShares: -1 })
    expect(judged('1.28', 'v1beta2', negative)).to.deep.equal([
      'spec.limited.assuredConcurrencyShares: Invalid value: -1: must be positive',
    ])
    expect(judged('1.31', 'v1beta3', negative)).to.deep.equal([
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
    ])
  })
})
