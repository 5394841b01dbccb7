import { expect } from 'chai'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import type { SwaggerMember } from '../../../../src/endpoints/openapi/documents.ts'
import { type ForeignSwagger, mergedMembers } from '../../../../src/endpoints/openapi/merge.ts'

type Swagger = Partial<ForeignSwagger>
const refer = (name: string, part = 'definitions') => ({ $ref: `#/${part}/${name}` })
const path = (name: string) => ({ get: { responses: { 200: { schema: refer(name) } } } })
const type = (of: string, more: JsonObject = {}) => ({ type: of, ...more })
const kinds = (...names: string[]) => ({ 'x-kubernetes-group-version-kind': names.map(kind => ({ group: 'g', version: 'v1', kind })) })

function merged(local: Swagger, ...others: Swagger[]): ForeignSwagger {
  function* members(): Generator<SwaggerMember | undefined, void> {
    for (const part of ['paths', 'definitions', 'parameters'] as const)
      for (const [name, value] of Object.entries(local[part] ?? {})) yield { part, name, value: value as JsonObject }
  }
  const out: Record<SwaggerMember['part'], JsonObject> = { paths: {}, definitions: {}, parameters: {} }
  const order: string[] = []
  for (const member of mergedMembers(
    members,
    others.map(other => ({ paths: {}, definitions: {}, parameters: {}, ...other })),
  )) {
    if (!member) continue
    expect(out[member.part], `${member.part} ${member.name} stands twice`).to.not.have.property(member.name)
    out[member.part][member.name] = member.value
    if (order.at(-1) !== member.part) order.push(member.part)
  }
  expect(order, 'each part is whole').to.deep.equal([...new Set(order)])
  return out
}

/** Cases of upstream's aggregator_test.go (k8s.io/kube-openapi). */
describe('mergedMembers', () => {
  it('returns our document if there are no others', () =>
    expect(merged({ paths: { '/a': path('A') }, definitions: { A: type('string') } })).to.deep.equal({
      paths: { '/a': path('A') },
      definitions: { A: type('string') },
      parameters: {},
    }))

  it('yields at each member of another document', () => {
    const names = Array.from({ length: 2000 }, (_, i) => `D${i}`)
    const other = { paths: { '/b': {} }, definitions: Object.fromEntries(names.map(name => [name, type('string')])), parameters: {} }
    let before = 0
    for (const member of mergedMembers(function* () {}, [other])) {
      if (member) break
      before++
    }
    expect(before).to.be.at.least(2 * names.length)
  })

  it('adds members of others, even for parts that we do not have', () =>
    expect(
      merged(
        { paths: { '/a': path('A') } },
        { paths: { '/b': path('B') }, definitions: { B: type('string') }, parameters: { p: { name: 'p' } } },
      ),
    ).to.deep.equal({
      paths: { '/a': path('A'), '/b': path('B') },
      definitions: { B: type('string') },
      parameters: { p: { name: 'p' } },
    }))

  it('keeps one of two equal definitions, with the kinds of both', () =>
    expect(
      merged(
        {
          paths: { '/a': path('A') },
          definitions: { A: type('object', { description: 'ours', properties: { description: type('string') }, ...kinds('Z', 'A') }) },
        },
        {
          paths: { '/b': path('A') },
          definitions: { A: type('object', { description: 'theirs', properties: { description: type('string') }, ...kinds('A', 'M') }) },
        },
      ),
    ).to.deep.equal({
      paths: { '/a': path('A'), '/b': path('A') },
      definitions: { A: type('object', { description: 'ours', properties: { description: type('string') }, ...kinds('A', 'M', 'Z') }) },
      parameters: {},
    }))

  it('renames a different definition, and all references to it', () =>
    expect(
      merged(
        { paths: { '/a': path('A') }, definitions: { A: type('string'), A_v2: type('boolean') } },
        { paths: { '/b': path('B') }, definitions: { A: type('integer'), B: type('object', { properties: { a: refer('A') } }) } },
      ),
    ).to.deep.equal({
      paths: { '/a': path('A'), '/b': path('B') },
      definitions: {
        A: type('string'),
        A_v2: type('boolean'),
        A_v3: type('integer'),
        B: type('object', { properties: { a: refer('A_v3') } }),
      },
      parameters: {},
    }))

  it('uses a new name again for an equal definition in a third document', () => {
    const other = (at: string): Swagger => ({ paths: { [at]: path('A') }, definitions: { A: type('integer') } })
    expect(merged({ definitions: { A: type('string') } }, other('/b'), other('/c'))).to.deep.equal({
      paths: { '/b': path('A_v2'), '/c': path('A_v2') },
      definitions: { A: type('string'), A_v2: type('integer') },
      parameters: {},
    })
  })

  it('chooses no new name that the other document has itself', () =>
    expect(
      merged(
        { definitions: { A: type('string') } },
        { paths: { '/b': path('A') }, definitions: { A: type('integer'), A_v2: type('object') } },
      ).definitions,
    ).to.deep.equal({
      A: type('string'),
      A_v3: type('integer'),
      A_v2: type('object'),
    }))

  it('renames parameters', () => {
    const at = { parameters: [refer('p', 'parameters')] }
    expect(merged({ parameters: { p: { name: 'p' } } }, { paths: { '/b': at }, parameters: { p: { name: 'other' } } })).to.deep.equal({
      paths: { '/b': { parameters: [refer('p_v2', 'parameters')] } },
      definitions: {},
      parameters: { p: { name: 'p' }, p_v2: { name: 'other' } },
    })
  })

  it('keeps our paths, and adds nothing of a document without others', () =>
    expect(merged({ paths: { '/a': path('A') } }, { paths: { '/a': path('B') }, definitions: { B: type('string') } })).to.deep.equal({
      paths: { '/a': path('A') },
      definitions: {},
      parameters: {},
    }))
})
