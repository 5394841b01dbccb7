import { expect } from 'chai'
import type { Expected } from '../../../../src/storage/backend.ts'
import { settleWrite } from '../../../../src/storage/etcd/settle.ts'
import type { Key, Revision } from '../../../../src/storage/revision.ts'

/** A key's history as `revision=value` (no value: deleted), and a write as `expected=value`. */
const cases: [name: string, history: string[], write: string, outcome: string | undefined][] = [
  ['an update that happened', ['5=a', '8=b'], '5=b', 'ok 8'],
  ['an update that happened and was followed by others', ['5=a', '8=b', '9=c', '12=d'], '5=b', 'ok 8'],
  ['an update that lost', ['5=a', '8=x'], '5=b', 'lost to 8'],
  ['an update that lost to one that was followed', ['5=a', '8=x', '9=b'], '5=b', 'lost to 9'],
  ['an update that may still arrive', ['5=a'], '5=b', undefined],
  ['an update of an object that is now deleted', ['5=a', '8'], '5=b', undefined],
  ['an update of an object that was deleted and recreated', ['5=a', '8', '9=b'], '5=b', undefined],
  ['an update too long ago', ['5=a', '6=b', ...Array.from({ length: 20 }, (_, i) => `${7 + i}=x`)], '5=b', undefined],
  ['a create that happened', ['8=b'], '0=b', 'ok 8'],
  ['a create that happened and was updated', ['8=b', '9=c'], '0=b', 'ok 8'],
  ['a create that cannot be found: the object may be absent again', ['8=x'], '0=b', undefined],
  ['a create that may still arrive', [], '0=b', undefined],
  ['a deletion that happened, or another one', ['5=a', '8'], '5', undefined],
  ['a deletion that lost to a change, after which another happened', ['5=a', '7=b', '8'], '5', undefined],
  ['a deletion that lost', ['5=a', '8=b'], '5', 'lost to 8'],
  ['a deletion that may still arrive', ['5=a'], '5', undefined],
]

describe('settleWrite', () => {
  for (const [name, history, text, outcome] of cases) {
    it(name, async () => {
      const changes = history.map(parse)
      const { revision: expected, value } = parse(text)
      const result = await settleWrite({ key: 'k' as Key, expected: expected as Expected, ...(value && { value }) }, async at => {
        const until = changes.filter(change => change.revision <= (at ?? 20))
        const last = until.at(-1)
        if (!last?.value) return { item: undefined, revision: 20 as Revision }
        const life = until.slice(until.findLastIndex(change => !change.value) + 1)
        const item = {
          key: 'k' as Key,
          value: last.value,
          createRevision: life[0]!.revision as Revision,
          modRevision: last.revision as Revision,
        }
        return { item, revision: 20 as Revision }
      })
      expect(result && (result.ok ? `ok ${result.revision}` : `lost to ${result.current?.modRevision}`)).to.equal(outcome)
    })
  }
})

function parse(text: string): { revision: number; value: Buffer | undefined } {
  const [revision, value] = text.split('=')
  return { revision: Number(revision), value: value === undefined ? undefined : Buffer.from(value) }
}
