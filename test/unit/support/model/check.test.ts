import { expect } from 'chai'
import type { AnyObject } from '../../../support/any-object.ts'
import { contradictions } from '../../../support/model/check.ts'
import { TOKEN } from '../../../support/model/check-write.ts'
import type {
  Circumstances,
  Seen,
  SeenAnswer,
  SeenCollectionDelete,
  SeenEvent,
  SeenGet,
  SeenList,
  SeenWatch,
  SeenWrite,
} from '../../../support/model/seen.ts'
import { EVERYTHING, type Selection } from '../../../support/model/selection.ts'
import { StoreHistory } from '../../../support/model/store-history.ts'

const TIER_A: Selection = { labels: [{ name: 'tier', op: '=', values: ['a'] }], fields: [] }
const ALL = { namespace: '', selection: EVERYTHING }
const CALM: Circumstances = { trouble: false, compacted: 0 }

const widget = (name: string, token: string, tier: string, revision?: number): AnyObject => ({
  kind: 'Widget',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'n',
    uid: `uid-${name}`,
    labels: { tier },
    annotations: { [TOKEN]: token },
    ...(revision !== undefined && { resourceVersion: String(revision) }),
  },
})

/**
 * 2: a is created · 3: b is created · 4: a leaves tier a · 5: something else · 6: b is deleted · 7: a comes back to it.
 */
function story(): StoreHistory {
  const history = new StoreHistory()
  history.add('n/a', 2, widget('a', 't1', 'a'))
  history.add('n/b', 3, widget('b', 't2', 'a'))
  history.add('n/a', 4, widget('a', 't3', 'b'))
  history.add('n/b', 6, undefined)
  history.add('n/a', 7, widget('a', 't4', 'a'))
  return history
}

const write = (
  verb: SeenWrite['verb'],
  key: string,
  token: string | undefined,
  floor: number,
  tier: string,
  options: Partial<SeenWrite> = {},
): SeenWrite => ({
  kind: 'write',
  verb,
  key,
  token,
  guard: undefined,
  effect: () => (token === undefined ? 'absent' : { labels: { tier }, annotations: { [TOKEN]: token }, color: '' }),
  server: 0,
  floor,
  ceiling: floor + 1,
  answer: { status: verb === 'create' ? 201 : 200, body: widget(key.slice(2), token ?? '', tier, floor + 1) },
  ...options,
})

const deleted = (name: string): SeenAnswer => ({
  status: 200,
  body: { kind: 'Status', details: { uid: `uid-${name}` }, metadata: {} } as unknown as AnyObject,
})

/** The writes that made the story. */
const writes = (): SeenWrite[] => [
  write('create', 'n/a', 't1', 1, 'a'),
  write('create', 'n/b', 't2', 2, 'a'),
  write('update', 'n/a', 't3', 3, 'b', { guard: 2 }),
  write('delete', 'n/b', undefined, 5, '', { answer: deleted('b') }),
  write('patch', 'n/a', 't4', 6, 'a'),
]

const get = (options: Partial<SeenGet>): SeenGet => ({
  kind: 'get',
  form: 'object',
  key: 'n/a',
  wanted: 'latest',
  server: 0,
  floor: 4,
  ceiling: 6,
  answer: { status: 200, body: widget('a', 't3', 'b', 4) },
  ...options,
})

const listBody = (revision: number, items: AnyObject[], more: object = {}): SeenAnswer => ({
  status: 200,
  body: { kind: 'WidgetList', metadata: { resourceVersion: String(revision), ...more }, items } as unknown as AnyObject,
})

const list = (options: Partial<SeenList>): SeenList => ({
  kind: 'list',
  form: 'object',
  extent: ALL,
  wanted: 'latest',
  limit: 0,
  server: 0,
  floor: 3,
  ceiling: 3,
  answer: listBody(3, [widget('a', 't1', 'a', 2), widget('b', 't2', 'a', 3)]),
  ...options,
})

const event = (type: string, object: AnyObject, ceiling = 7): SeenEvent => ({ type, object, ceiling })
const bookmark = (revision: number, initialEnd = false, ceiling = 7): SeenEvent =>
  event(
    'BOOKMARK',
    {
      metadata: { resourceVersion: String(revision), ...(initialEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }) },
    } as unknown as AnyObject,
    ceiling,
  )

const ADDED_A = event('ADDED', widget('a', 't1', 'a', 2))
const ADDED_B = event('ADDED', widget('b', 't2', 'a', 3))
const MODIFIED_A = event('MODIFIED', widget('a', 't3', 'b', 4))
const DELETED_B = event('DELETED', widget('b', 't2', 'a', 6))
const BACK_A = event('MODIFIED', widget('a', 't4', 'a', 7))

const watch = (events: readonly SeenEvent[], options: Partial<SeenWatch> = {}): SeenWatch => ({
  kind: 'watch',
  form: 'object',
  extent: ALL,
  start: { after: 1 },
  bookmarks: true,
  server: 0,
  floor: 1,
  ceiling: 7,
  events,
  end: 'open',
  mayEnd: false,
  ...options,
})
const whole = [ADDED_A, ADDED_B, MODIFIED_A, DELETED_B, BACK_A]
const tierA = { namespace: '', selection: TIER_A }
const leaveA = event('DELETED', widget('a', 't1', 'a', 4))
const enterA = event('ADDED', widget('a', 't4', 'a', 7))

const refused = (code: number, reason: string, message = ''): SeenAnswer => ({
  status: code,
  body: { kind: 'Status', code, reason, message, metadata: {} } as unknown as AnyObject,
})

const check = (seen: readonly Seen[], around = CALM): string[] => contradictions(story(), seen, () => false, around)
const checkAll = (seen: readonly Seen[], around = CALM): string[] => contradictions(story(), seen, () => true, around)

describe('the model’s checker', () => {
  describe('accepts', () => {
    const right: Record<string, Seen> = {
      'a get of the newest state': get({}),
      'a get at hand, of long ago': get({ wanted: 'any', answer: { status: 200, body: widget('a', 't1', 'a', 2) } }),
      'a get of a deleted object': get({ key: 'n/b', floor: 6, ceiling: 6, answer: refused(404, 'NotFound') }),
      'a list': list({}),
      'a list at hand, of long ago': list({ wanted: 'any', answer: listBody(2, [widget('a', 't1', 'a', 2)]) }),
      'an exact list': list({ wanted: { exactly: 2 }, floor: 7, ceiling: 7, answer: listBody(2, [widget('a', 't1', 'a', 2)]) }),
      'a first page': list({ limit: 1, answer: listBody(3, [widget('a', 't1', 'a', 2)], { continue: 'x', remainingItemCount: 1 }) }),
      'a second page of the same state': list({
        limit: 1,
        floor: 7,
        ceiling: 7,
        continued: { revision: 3, after: 'n/a' },
        answer: listBody(3, [widget('b', 't2', 'a', 3)]),
      }),
      'a revision that never exists': list({
        wanted: { exactly: 9 },
        answer: refused(504, 'Timeout', 'Too large resource version: 9, current: 3'),
      }),
      'a watch': watch(whole),
      'a watch with bookmarks': watch([ADDED_A, bookmark(2), ADDED_B, MODIFIED_A, bookmark(5), DELETED_B, BACK_A, bookmark(7)]),
      'a watch with a selection': watch([ADDED_A, ADDED_B, leaveA, DELETED_B, enterA], { extent: tierA }),
      'initial events with their end': watch([ADDED_B, ADDED_A, bookmark(3, true), MODIFIED_A, DELETED_B, BACK_A], {
        start: { initial: 'latest', endsWithBookmark: true },
        floor: 3,
      }),
      'initial events without': watch([ADDED_A, ADDED_B, MODIFIED_A, DELETED_B, BACK_A], {
        start: { initial: 'any', endsWithBookmark: false },
      }),
      'a watch of metadata': watch(
        whole.map(({ type, object }) => event(type, { ...object, spec: undefined })),
        { form: 'metadata' },
      ),
      'a watch that was left': watch([ADDED_A], { end: 'client' }),
    }
    for (const [what, seen] of Object.entries(right)) it(what, () => expect(check([seen])).to.deep.equal([]))

    it('all writes of a history', () => expect(checkAll(writes())).to.deep.equal([]))

    it('a write without a response, done or not', () => {
      const lost = { status: 0, body: {} as AnyObject }
      const trouble = { trouble: true, compacted: 0 }
      const [first, ...others] = writes() as [SeenWrite, ...SeenWrite[]]
      expect(
        checkAll([{ ...first, answer: lost }, ...others, write('update', 'n/a', 't9', 6, 'a', { answer: lost })], trouble),
      ).to.deep.equal([])
    })
  })

  describe('finds', () => {
    const wrongReads: Record<string, [Seen, RegExp]> = {
      'a stale get': [get({ answer: { status: 200, body: widget('a', 't1', 'a', 2) } }), /the state of 2…3, which is not of 4…6/],
      'a get from the future': [get({ floor: 2, ceiling: 3 }), /the state of 4…6, which is not of 2…3/],
      'another content': [get({ answer: { status: 200, body: widget('a', 't1', 'b', 4) } }), /but at 4 it is/],
      'a version that was never written': [get({ answer: { status: 200, body: widget('a', 't3', 'b', 5) } }), /not written at 5/],
      'a 404 of an existing object': [get({ answer: refused(404, 'NotFound') }), /it was there all the time/],
      'a get older than requested': [
        get({ wanted: { notOlderThan: 4 }, answer: { status: 200, body: widget('a', 't1', 'a', 2) } }),
        /not of 4…6/,
      ],
      'a 500': [get({ answer: refused(500, 'InternalError', 'oh') }), /500 InternalError: oh/],
      'a 503 with no cause': [get({ answer: refused(503, 'ServiceUnavailable') }), /nothing was wrong/],
      'a stale list': [list({ floor: 4, ceiling: 7 }), /the state of 3, which is not of 4…7/],
      'a list older than requested': [list({ wanted: { notOlderThan: 4 }, ceiling: 7 }), /not of 4…7/],
      'an exact list of another revision': [list({ wanted: { exactly: 2 } }), /the state of 3, which is not of 2…2/],
      'a list of two mixed states': [
        list({ floor: 4, ceiling: 4, answer: listBody(4, [widget('a', 't1', 'a', 2), widget('b', 't2', 'a', 3)]) }),
        /at 4 it lacks n\/a 4/,
      ],
      'a list that lacks an object': [list({ answer: listBody(3, [widget('a', 't1', 'a', 2)]) }), /lacks n\/b/],
      'a list with an object twice': [
        list({ answer: listBody(3, [widget('a', 't1', 'a', 2), widget('a', 't1', 'a', 2), widget('b', 't2', 'a', 3)]) }),
        /not in order, or doubled/,
      ],
      'a list out of order': [list({ answer: listBody(3, [widget('b', 't2', 'a', 3), widget('a', 't1', 'a', 2)]) }), /not in order/],
      'a list with objects that are not selected': [
        list({ extent: tierA, floor: 4, ceiling: 4, answer: listBody(4, [widget('a', 't3', 'b', 4), widget('b', 't2', 'a', 3)]) }),
        /it has n\/a 4/,
      ],
      'a page of another state': [
        list({ limit: 1, floor: 7, ceiling: 7, continued: { revision: 3, after: 'n/a' }, answer: listBody(7, []) }),
        /the state of 7, which is not of 3…3/,
      ],
      'a page without its end': [list({ limit: 1, answer: listBody(3, [widget('a', 't1', 'a', 2)]) }), /no token, but 1 objects more/],
      'a wrong count of remaining objects': [
        list({ limit: 1, answer: listBody(3, [widget('a', 't1', 'a', 2)], { continue: 'x', remainingItemCount: 2 }) }),
        /2 remain, but 1 do/,
      ],
      'a token to nowhere': [
        list({ limit: 2, answer: listBody(3, [widget('a', 't1', 'a', 2), widget('b', 't2', 'a', 3)], { continue: 'x' }) }),
        /nothing more/,
      ],
      'a 410 of an available revision': [
        list({ wanted: { exactly: 2 }, answer: refused(410, 'Expired') }),
        /nothing from 2 on is compacted/,
      ],
      'a 410 of pages without a token': [
        list({ limit: 1, floor: 7, ceiling: 7, continued: { revision: 2, after: 'n/a' }, answer: refused(410, 'Expired') }),
        /nothing from 2 on is compacted/,
      ],
      'a rejection of an existing revision': [
        list({ wanted: { notOlderThan: 3 }, answer: refused(504, 'Timeout', 'Too large resource version: 3') }),
        /though the store was at 3/,
      ],
    }
    const wrongWatches: Record<string, [readonly SeenEvent[], Partial<SeenWatch>, RegExp]> = {
      'a dropped event': [[ADDED_A, MODIFIED_A, DELETED_B, BACK_A], {}, /MODIFIED n\/a at 4 came in place of ADDED n\/b at 3/],
      'a dropped last event': [whole.slice(0, 4), {}, /MODIFIED n\/a at 7 never came/],
      'a doubled event': [[ADDED_A, ADDED_A, ADDED_B, MODIFIED_A, DELETED_B, BACK_A], {}, /ADDED n\/a at 2 came in place of/],
      'events in another order': [[ADDED_B, ADDED_A, MODIFIED_A, DELETED_B, BACK_A], {}, /came in place of/],
      'an event that was seen before': [whole, { start: { after: 2 } }, /ADDED n\/a at 2 came in place of ADDED n\/b/],
      'another type': [[event('MODIFIED', ADDED_A.object), ...whole.slice(1)], {}, /came in place of ADDED/],
      'another content in an event': [[event('ADDED', widget('a', 't1', 'c', 2)), ...whole.slice(1)], {}, /in place of/],
      'a deletion with the version before': [
        [ADDED_A, ADDED_B, MODIFIED_A, event('DELETED', widget('b', 't2', 'a', 3)), BACK_A],
        {},
        /DELETED n\/b at 3 came in place/,
      ],
      'one that leaves the selection unnoticed': [
        [ADDED_A, ADDED_B, DELETED_B, enterA],
        { extent: tierA },
        /came in place of DELETED n\/a at 4/,
      ],
      'one that leaves it with its new content': [
        [ADDED_A, ADDED_B, event('DELETED', widget('a', 't3', 'b', 4)), DELETED_B, enterA],
        { extent: tierA },
        /in place of/,
      ],
      'one that enters it as modified': [
        [ADDED_A, ADDED_B, leaveA, DELETED_B, BACK_A],
        { extent: tierA },
        /came in place of ADDED n\/a at 7/,
      ],
      'an event too many': [[...whole, event('MODIFIED', widget('a', 't4', 'a', 8))], {}, /nothing more is due/],
      'a bookmark that promises too much': [
        [ADDED_A, bookmark(3), ...whole.slice(1)],
        {},
        /a bookmark at 3, but ADDED n\/b at 3 has not come/,
      ],
      'a bookmark from the future': [[...whole, bookmark(9)], {}, /a bookmark at 9 when the store was at 7/],
      'a bookmark with an older revision': [[ADDED_A, ADDED_B, bookmark(3), bookmark(2), ...whole.slice(2)], {}, /a bookmark at 2 after 3/],
      'a bookmark that was not requested': [[...whole, bookmark(7)], { bookmarks: false }, /not asked for/],
      'initial events that lack one': [
        [ADDED_A, bookmark(3, true), ...whole.slice(2)],
        { start: { initial: 'latest', endsWithBookmark: true } },
        /initial n\/b at 3 is missing/,
      ],
      'initial events that are stale': [
        [ADDED_A, ADDED_B, bookmark(3, true), ...whole.slice(2)],
        { start: { initial: 'latest', endsWithBookmark: true }, floor: 4 },
        /the state of 3, which is not of 4…7/,
      ],
      'initial events without their end': [
        [ADDED_A, ADDED_B],
        { start: { initial: 'latest', endsWithBookmark: true }, floor: 7 },
        /not there at 7|never ended/,
      ],
      'initial events of no one state': [
        [ADDED_B, MODIFIED_A, DELETED_B, BACK_A],
        { start: { initial: 'any', endsWithBookmark: false } },
        /in place of|among the initial|is missing/,
      ],
      'an end with no cause': [whole.slice(0, 2), { end: 'server' }, /the server ended it after 3, and nothing was wrong/],
      'a 410 of an available revision during a watch': [
        [event('ERROR', refused(410, 'Expired').body)],
        { end: 'server' },
        /ERROR 410 Expired/,
      ],
      'a refusal with no cause': [[], { refusal: refused(503, 'ServiceUnavailable'), end: 'server' }, /refused with 503/],
    }
    for (const [what, [seen, line]] of Object.entries(wrongReads)) it(what, () => expect(check([seen]).join('\n')).to.match(line))
    for (const [what, [events, options, line]] of Object.entries(wrongWatches))
      it(what, () => expect(check([watch(events, options)]).join('\n')).to.match(line))

    const others = (not: number): SeenWrite[] => writes().filter((_, i) => i !== not)
    const nth = (n: number): SeenWrite => writes()[n] as SeenWrite
    const notFound = refused(404, 'NotFound')
    const collection = (options: Partial<SeenCollectionDelete>): SeenCollectionDelete => ({
      kind: 'deletecollection',
      extent: ALL,
      server: 0,
      floor: 5,
      ceiling: 6,
      answer: listBody(5, [widget('b', 't2', 'a', 3)]),
      ...options,
    })
    const wrongWrites: Record<string, [Seen[], RegExp]> = {
      'a write that is lost': [[...writes(), write('update', 'n/a', 't9', 7, 'a')], /acknowledged at 8, of which nothing is there/],
      'a change that was not requested': [others(4), /n\/a at 7: a change that nobody asked for/],
      'a deletion that was not requested': [others(3), /n\/b at 6: a deletion that nobody asked for/],
      'a refused write that was done': [[...others(2), { ...nth(2), answer: refused(409, 'Conflict') }], /it was refused, and done at 4/],
      'a write on another state than its guard': [[...others(2), { ...nth(2), guard: 3 }], /it changed the state of 2/],
      'an update that undoes another': [
        [...others(4), { ...nth(4), effect: before => before && { ...before, annotations: { [TOKEN]: 't4' } } }],
        /in place of/,
      ],
      'a write before its request': [[...others(4), { ...nth(4), floor: 7, ceiling: 9 }], /before it was asked for/],
      'a write after it was acknowledged': [[...others(4), { ...nth(4), floor: 5, ceiling: 6 }], /after it was acknowledged/],
      'a response with another content': [
        [...others(0), { ...nth(0), answer: { status: 201, body: widget('a', 't1', 'c', 2) } }],
        /but it is/,
      ],
      'two writes acknowledged for one': [[...writes(), { ...nth(4), token: 't9' }], /acknowledged at 7, which it did not make/],
      'one deletion acknowledged twice': [[...writes(), nth(3)], /acknowledged twice/],
      'a deletion that did not happen': [
        [...writes(), write('delete', 'n/a', undefined, 6, '', { answer: deleted('a') })],
        /uid-a was never deleted/,
      ],
      'a 404 of a write to an existing object': [[...writes(), write('update', 'n/a', 't9', 4, 'a', { answer: notFound })], /NotFound/],
      'a conflict without another write': [
        [...writes(), write('update', 'n/a', 't9', 4, 'a', { guard: 4, answer: refused(409, 'Conflict') })],
        /Conflict/,
      ],
      'a creation refused for nothing': [
        [...writes(), write('create', 'n/c', 't9', 4, 'a', { answer: refused(409, 'AlreadyExists') })],
        /AlreadyExists/,
      ],
      'unchanged, although the object differed': [
        [...writes(), write('update', 'n/a', undefined, 6, 'a', { guard: 4, answer: { status: 200, body: widget('a', 't4', 'a', 7) } })],
        /unchanged at 7/,
      ],
      'a failure with no cause': [
        [...others(4), { ...nth(4), answer: refused(503, 'ServiceUnavailable') }],
        /no success, and nothing was wrong/,
      ],
      'a collection whose object stays': [
        [...others(3), collection({ floor: 4, ceiling: 5 })],
        /n\/b was there before and after|is still there/,
      ],
      'a deleted collection with objects that were not selected': [
        [...others(3), collection({ extent: tierA, answer: listBody(5, [widget('b', 't2', 'a', 3), widget('a', 't3', 'b', 4)]) })],
        /it tells of/,
      ],
    }
    for (const [what, [seen, line]] of Object.entries(wrongWrites)) it(what, () => expect(checkAll(seen).join('\n')).to.match(line))
  })
})
