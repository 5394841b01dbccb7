import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { typesOf } from '../../../src/catalog/types.ts'
import { gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { GATE_TABLE } from '../../../src/lifecycle/gate-table.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { LIFECYCLES } from '../../../src/lifecycle/kinds.ts'
import { existsIn } from '../../../src/lifecycle/lifecycle.ts'
import { minorOf, previousRelease, RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { apiVersionOf, parseApiVersion, stabilityOf } from '../../../src/meta/gvk.ts'
import type { Schema, StructSchema } from '../../../src/schema/schema.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

/**
 * The rules of https://kubernetes.io/docs/reference/using-api/deprecation-policy/ by number, for the tables of all
 * releases. Each test names upstream's violations.
 *
 * Not covered: 2 (round trips between the versions of a release), 5 and 6 (the command line, test/unit/config), 7
 * (behaviour, of which none is deprecated), 11 (metrics, test/unit/server).
 */

const LEVELS = ['alpha', 'beta', 'ga']
const levelOf = (apiVersion: string): number => LEVELS.indexOf(stabilityOf(parseApiVersion(apiVersion)?.version ?? '') ?? '')

const lives = Object.entries(LIFECYCLES).flatMap(([apiVersion, kinds]) =>
  Object.entries(kinds).map(([kind, life]) => ({ ...life, id: `${apiVersion} ${kind}`, level: levelOf(apiVersion) })),
)

const kindsOf = (release: Release): readonly ResourceDefinition[] =>
  servedBuiltins({ 'api/all': true }, {}, undefined, release).filter(({ internal }) => !internal)
const idOf = ({ hub }: ResourceDefinition): string => `${hub.names.plural}.${hub.group}`

/** Returns a type and the types that it contains, by ID. */
function typesBelow(schema: Schema, found = new Map<string, StructSchema>()): Map<string, StructSchema> {
  if (schema.type === 'list') return typesBelow(schema.items, found)
  if (schema.type === 'map') return typesBelow(schema.values, found)
  if (schema.type !== 'struct' || schema.id === undefined || found.has(schema.id)) return found
  found.set(schema.id, schema)
  for (const field of schema.fields.values()) typesBelow(field.schema, found)
  return found
}

const shapeOf = (schema: Schema): string => {
  if (schema.type === 'list') return `[]${shapeOf(schema.items)}`
  if (schema.type === 'map') return `{}${shapeOf(schema.values)}`
  return schema.type === 'struct' ? schema.name : schema.type
}

/** Returns fields that differ in the next release, except for alpha versions and fields with an alpha gate. */
function changedFields(release: Release, next: Release): string[] {
  const changed = new Set<string>()
  for (const { versions } of kindsOf(release))
    for (const { group, name, kind, schema } of versions) {
      if (stabilityOf(name) === 'alpha' || !existsIn(next, apiVersionOf({ group, version: name }), kind)) continue
      for (const [id, type] of typesBelow(schema)) {
        const after = typesOf(next).type(id).fields
        for (const [member, field] of type.fields) {
          if (field.gate !== undefined && gatesOf(release)[field.gate]?.stage === 'Alpha') continue
          const now = after.get(member)
          if (now === undefined) changed.add(`${next} ${id}.${member} is gone`)
          else if (now.number !== field.number || shapeOf(now.schema) !== shapeOf(field.schema))
            changed.add(`${next} ${id}.${member} is ${shapeOf(now.schema)}`)
        }
      }
    }
  return [...changed].sort()
}

describe('the deprecation policy', () => {
  it('rule 1: within a version, fields stay as they are', () => {
    expect(RELEASES.slice(1).flatMap(next => changedFields(previousRelease(next), next))).to.deep.equal([
      // Never used, and dropped by every write since 1.24 (kubernetes/kubernetes#108717). Its number is reserved.
      '1.25 meta.ObjectMeta.clusterName is gone',
      // The same wire format, with members that need a gate.
      '1.26 core.PersistentVolumeClaimSpec.dataSourceRef is TypedObjectReference',
      // The same wire format under a new name.
      '1.26 networking.IngressStatus.loadBalancer is IngressLoadBalancerStatus',
      // An alpha field. Writes were prevented by a gate, not by a mark.
      '1.28 networking.NetworkPolicy.status is gone',
      // The same wire format without `claims`, which validation has always rejected in a claim.
      '1.29 core.PersistentVolumeClaimSpec.resources is VolumeResourceRequirements',
      // A field of an alpha gate that covered more than this field. Its two members were moved up.
      '1.31 core.PodResourceClaim.source is gone',
      // Fields of an alpha gate that covers the fields that contain them.
      '1.37 core.NodeAllocatableResourceClaimStatus.resources is gone',
      '1.37 resourceV1beta1.BasicDevice.nodeAllocatableResourceMappings is gone',
    ])
  })

  it('rule 3: no version is replaced by a less stable one', () => {
    const worse = lives.filter(({ replacement = '', level }) => replacement !== '' && levelOf(replacement.split(' ', 1).join()) < level)
    expect(worse.map(({ id }) => id)).to.deep.equal([])
  })

  it('rule 4a: stable versions stay, and beta versions are served for three releases after their deprecation', () => {
    expect(lives.filter(({ level, removed }) => LEVELS[level] === 'ga' && removed !== undefined)).to.deep.equal([])
    for (const { id, level, deprecated, removed } of lives)
      if (LEVELS[level] === 'beta' && removed !== undefined) expect(minorOf(removed) - minorOf(deprecated ?? removed), id).to.be.at.least(3)
  })

  it('rule 4a: beta versions are deprecated within three releases', () => {
    // Since 1.20: older versions had no end before KEP-1635.
    const betas = lives.filter(({ level, introduced }) => LEVELS[level] === 'beta' && minorOf(introduced) >= 20)
    expect(betas).to.have.length.above(10)
    for (const { id, introduced, deprecated } of betas) {
      expect(deprecated, id).to.not.equal(undefined)
      // Upstream postponed the end of this version by a release, in 1.36.
      const most = id.includes('ClusterTrustBundle') ? 4 : 3
      if (deprecated !== undefined) expect(minorOf(deprecated) - minorOf(introduced), id).to.be.at.most(most)
    }
  })

  it('rule 4b: a version is stored only once the release before can read it', () => {
    const early = RELEASES.slice(1).flatMap(release => {
      const before = new Map(kindsOf(previousRelease(release)).map(definition => [idOf(definition), definition.storage?.version]))
      return kindsOf(release).flatMap(definition => {
        const [was, now] = [before.get(idOf(definition)), definition.storage?.version]
        if (
          !was ||
          !now ||
          was.name === now.name ||
          existsIn(previousRelease(release), apiVersionOf({ group: now.group, version: now.name }), now.kind)
        )
          return []
        return [`${release} ${idOf(definition)}: ${was.name}, ${now.name}`]
      })
    })
    // Only alpha versions, whose stored objects no release has to read.
    expect(early.filter(text => !/: v1alpha\d, /.test(text))).to.deep.equal([])
  })

  it('rule 4b: a version is preferred only beside the one that was preferred before', () => {
    const alone = RELEASES.slice(1).flatMap(release => {
      const before = new Map(kindsOf(previousRelease(release)).map(definition => [idOf(definition), definition.versions[0].name]))
      return kindsOf(release).flatMap(definition => {
        const was = before.get(idOf(definition))
        const isKept = was === undefined || stabilityOf(was) === 'alpha' || definition.versions.some(({ name }) => name === was)
        return isKept ? [] : [`${release} ${idOf(definition)}: ${was}`]
      })
    })
    expect(alone).to.deep.equal([])
  })

  /** States of a gate, and the release that removed it. */
  const histories = Object.entries(GATE_TABLE).map(([name, text]) => {
    const entries = text.split(' ').slice(1)
    const gone = entries.find(entry => entry.endsWith('gone'))
    const states = entries.filter(entry => entry !== gone).map(entry => ({ minor: Number(entry.slice(0, 2)), stage: entry[2] ?? '' }))
    return { name, states, gone: gone === undefined ? undefined : Number(gone.slice(0, 2)) }
  })

  it('rule 8: a gate that others require does not become less stable', () => {
    const stages = 'ABG'
    const worse = histories.filter(({ states }) =>
      states.some(({ stage }, i) => i > 0 && stages.indexOf(stage) < stages.indexOf(states[i - 1]?.stage ?? '') && stage !== 'D'),
    )
    expect(worse.map(({ name }) => name)).to.deep.equal([])
  })

  it('rule 9: gates work for two releases after GA, and for one after their deprecation', () => {
    const early = histories.flatMap(({ name, states, gone }) => {
      const since = (stage: string): number | undefined => states.find(state => state.stage === stage)?.minor
      const [stable, deprecated] = [since('G'), since('D')]
      // A state in the first release of the table may be older.
      if (gone === undefined || stable === 24 || deprecated === 24) return []
      if (stable !== undefined) return gone - stable < 2 ? [name] : []
      if (deprecated !== undefined) return gone - deprecated < 1 ? [name] : []
      return states.some(({ stage }) => stage === 'B') ? [name] : []
    })
    // Upstream's violations: a beta gate that was removed with its rule in force, one that was GA from the start to
    // exempt clusters for one release, and two that were locked one release before their removal.
    expect(early).to.deep.equal([
      'PreventStaticPodAPIReferences',
      'ProbeHostPodSecurityStandards',
      'ProbeTerminationGracePeriod',
      'RetroactiveDefaultStorageClass',
    ])
  })

  it('rule 10: deprecated gates warn, and gates without effect cannot be turned off', () => {
    for (const release of RELEASES)
      for (const [name, { stage, locked, preset, effect, built }] of Object.entries(gatesOf(release))) {
        const set = (value: boolean) => () => parseGates(release, new Map([[name, value]])).warnings
        if (locked)
          expect(set(!preset), `${release} ${name}`).to.throw(
            `cannot set feature gate ${name} to ${!preset}, feature is locked to ${preset}`,
          )
        if (stage === 'Deprecated' && (effect !== 'fixed' || preset === built))
          expect(set(preset)(), `${release} ${name}`).to.deep.equal([
            `Setting deprecated feature gate ${name}=${preset}. It will be removed in a future release.`,
          ])
      }
  })
})
