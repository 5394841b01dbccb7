import { expect } from 'chai'
import { wrap } from '../../../src/codec/protobuf.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { deleteCollection, deleteOne } from '../../../src/endpoints/delete.ts'
import { metaType } from '../../../src/endpoints/forms/meta-v1.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import type { Authorizer } from '../../../src/meta/authorizer.ts'
import { FakeExchange, type FakeRequest, scopeOf } from '../../support/exchange.ts'
import { featuresIn } from '../../support/hook-context.ts'
import { refusalText, TestRegistry, widgetResource } from '../../support/test-registry.ts'

describe('options of deletions', () => {
  let t: TestRegistry
  beforeEach(async () => {
    t = new TestRegistry()
    await t.create({ name: 'a', labels: { x: 'y' } })
    await t.create({ name: 'b' })
  })
  const run = (request: FakeRequest) =>
    deleteOne(scopeOf(t, new FakeExchange('/x', { method: 'DELETE', ...request }), 'delete', { name: 'a' }))

  const table: [string, FakeRequest, code: number, finalizers: string[] | undefined][] = [
    ['none', {}, 200, undefined],
    ['a policy in the query', { search: 'propagationPolicy=Foreground' }, 200, ['foregroundDeletion']],
    ['a policy in the body', { body: '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"}' }, 200, ['orphan']],
    ['a body without a kind', { body: '{"propagationPolicy":"Orphan"}' }, 200, ['orphan']],
    ['only the body, if there is one', { body: '{"gracePeriodSeconds":0}', search: 'propagationPolicy=Orphan' }, 200, undefined],
    ['YAML', { body: 'propagationPolicy: Orphan\n', headers: { 'content-type': 'application/yaml' } }, 200, ['orphan']],
    [
      'protobuf',
      {
        body: wrap(
          { apiVersion: 'v1', kind: 'DeleteOptions' },
          encodeMessage(metaType('meta.DeleteOptions'), { propagationPolicy: 'Orphan' }),
        ),
        headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      },
      200,
      ['orphan'],
    ],
    ['preconditions in the query, which hold', { search: 'uid=u1&resourceVersion=2' }, 200, undefined],
    ['preconditions in the query, which are empty', { search: 'uid=&resourceVersion=' }, 200, undefined],
    ['a body in place of preconditions in the query', { body: '{}', search: 'uid=x' }, 200, undefined],
    ['orphanDependents', { search: 'orphanDependents=true' }, 200, ['orphan']],
    ['a dry-run', { search: 'dryRun=All&propagationPolicy=Background' }, 200, []],
    ['an option that is not known', { body: '{"odd":1}' }, 200, undefined],
  ]
  for (const [what, request, code, finalizers] of table)
    it(`are decoded: ${what}`, async () => {
      const { code: told, result } = await run(request)
      expect([told, result?.deleted]).to.deep.equal([code, finalizers === undefined || finalizers.length === 0])
      if (finalizers) expect((await t.get('a')).metadata.finalizers ?? []).to.deep.equal(finalizers)
      else expect(await t.names()).to.deep.equal(['b'])
    })

  it('respond with 202 if orphanDependents is false and the object remains', async () => {
    await t.update('a', now => void Object.assign(now.metadata, { finalizers: ['example.io/x'] }))
    expect((await run({ search: 'orphanDependents=false' })).code).to.equal(202)
  })

  const INVALID = 'DeleteOptions.meta.k8s.io "" is invalid: '
  const refused: [string, FakeRequest, string][] = [
    [
      'a dry-run of another kind',
      { search: 'dryRun=x' },
      `422 Invalid: ${INVALID}dryRun: Unsupported value: []string{"x"}: supported values: "All"`,
    ],
    [
      'an unknown policy',
      { search: 'propagationPolicy=Odd' },
      `422 Invalid: ${INVALID}propagationPolicy: Unsupported value: "Odd": supported values: "Foreground", "Background", "Orphan", "nil"`,
    ],
    [
      'orphanDependents together with a policy',
      { search: 'propagationPolicy=Orphan&orphanDependents=true' },
      `422 Invalid: ${INVALID}propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`,
    ],
    ['an invalid number of seconds', { search: 'gracePeriodSeconds=x' }, '400 BadRequest: strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'a body of another kind',
      { body: '{"kind":"Widget","apiVersion":"example.io/v1"}' },
      '500 : no kind "Widget" is registered for version "example.io/v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    [
      'a body of a malformed version',
      { body: '{"kind":"DeleteOptions","apiVersion":"a/b/c"}' },
      '500 : unexpected GroupVersion string: a/b/c',
    ],
    [
      'a body of a version without a name',
      { body: '{"kind":"DeleteOptions","apiVersion":"v1/"}' },
      `500 : Object 'apiVersion' is missing in '{"kind":"DeleteOptions","apiVersion":"v1/"}'`,
    ],
    [
      'another uid',
      { body: '{"preconditions":{"uid":"x"}}' },
      '409 Conflict: Operation cannot be fulfilled on Widget.example.io "a": the UID in the precondition (x) does not match the UID in record (u1). The object might have been deleted and then recreated',
    ],
    [
      'another uid in the query',
      { search: 'uid=x&resourceVersion=9' },
      '409 Conflict: Operation cannot be fulfilled on Widget.example.io "a": the UID in the precondition (x) does not match the UID in record (u1). The object might have been deleted and then recreated',
    ],
    [
      'another version in the query',
      { search: 'resourceVersion=9' },
      '409 Conflict: Operation cannot be fulfilled on Widget.example.io "a": the ResourceVersion in the precondition (9) does not match the ResourceVersion in record (2). The object might have been modified',
    ],
  ]
  for (const [what, request, text] of refused)
    it(`are refused: ${what}`, async () => {
      expect(await refusalText(run(request))).to.equal(text)
      expect(await t.names()).to.deep.equal(['a', 'b'])
    })

  it('have the reason of a bad request since 1.35 if the body cannot be decoded', async () => {
    const exchange = new FakeExchange('/x', { method: 'DELETE', body: '{"kind":"DeleteOptions","apiVersion":"a/b/c"}' })
    const text = await refusalText(deleteOne(scopeOf(t, exchange, 'delete', { name: 'a', release: '1.35' })))
    expect(text).to.equal('400 BadRequest: unexpected GroupVersion string: a/b/c')
  })

  describe('without reading the object', () => {
    const OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential'
    const allowed: Authorizer['authorize'] = async () => ({ decision: 'allow', reason: '' })
    const unsafely = (release: Release, name: string, search = ''): Promise<string> => {
      const registry = new TestRegistry([widgetResource()], undefined, featuresIn(release))
      const exchange = new FakeExchange('/x', { method: 'DELETE', search: `${OPTION}=true${search}` })
      const scope = scopeOf(registry, exchange, 'delete', { name, release, unsafeDeletion: allowed })
      return registry.create({ name: 'a' }).then(() => refusalText(deleteOne(scope)))
    }

    it('are refused if it can be read: 422, and 409 since 1.37', async () => {
      expect(await unsafely('1.36', 'a')).to.match(/^422 Invalid: .*is exclusively used to delete corrupt object\(s\)/)
      expect(await unsafely('1.37', 'a')).to.match(
        /^409 Conflict: .*StorageError: invalid object, Code: 4, Key: \/registry\/.*AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage$/,
      )
    })

    it('are refused if there is none: 422, and 404 since 1.37', async () => {
      expect(await unsafely('1.36', 'none')).to.match(/^422 Invalid/)
      expect(await unsafely('1.37', 'none')).to.match(/^404 NotFound/)
    })

    it('may be a dry run since 1.37', async () => {
      expect(await unsafely('1.36', 'a', '&dryRun=All')).to.contain('cannot be set together with .dryRun')
      expect(await unsafely('1.37', 'a', '&dryRun=All')).to.match(/^409 Conflict/)
    })
  })

  it('are decoded together with the selectors of a collection', async () => {
    const exchange = new FakeExchange('/x', { method: 'DELETE', search: 'labelSelector=x', body: '{"propagationPolicy":"Background"}' })
    const { items } = await deleteCollection(scopeOf(t, exchange, 'deletecollection'))
    expect(items.map(item => item.attributes().name)).to.deep.equal(['a'])
    expect(await t.names()).to.deep.equal(['b'])
  })

  for (const [search, what] of [
    [
      'uid=x',
      'the UID in the precondition (x) does not match the UID in record (u1). The object might have been deleted and then recreated',
    ],
    [
      'resourceVersion=3',
      'the ResourceVersion in the precondition (3) does not match the ResourceVersion in record (2). The object might have been modified',
    ],
  ])
    it(`include preconditions in the query for a collection: ${search}`, async () => {
      const exchange = new FakeExchange('/x', { method: 'DELETE', search: `labelSelector=x&${search}` })
      expect(await refusalText(deleteCollection(scopeOf(t, exchange, 'deletecollection')))).to.equal(
        `409 Conflict: Operation cannot be fulfilled on Widget.example.io "a": ${what}`,
      )
      expect(await t.names()).to.deep.equal(['a', 'b'])
    })
})
