import { expect } from 'chai'
import { shardSelectorSteps } from '../../../src/cel/shard-selector.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import type { ShardSelector } from '../../../src/meta/shard-selector.ts'

const parseShardSelector = (text: string): ShardSelector => runAtOnce(shardSelectorSteps(text))

const LOWER = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
const of = (field: string, start: string, end = "'0x8000000000000000'"): string => `shardRange(${field}, ${start}, ${end})`
const uid = (start: string, end?: string): string => of('object.metadata.uid', start, end)

describe('shard selectors', () => {
  it('are ranges of one field', () => {
    expect(parseShardSelector(` ${LOWER}\n||${uid("'0xfffffffffffffffe'", "'0x10000000000000000'")} `)).to.deep.equal({
      field: 'uid',
      ranges: [
        { start: { high: 0, low: 0 }, end: { high: 0x8000_0000, low: 0 } },
        { start: { high: 0xffff_ffff, low: 0xffff_fffe }, end: { high: 2 ** 32, low: 0 } },
      ],
      text: `${LOWER} || shardRange(object.metadata.uid, '0xfffffffffffffffe', '0x10000000000000000')`,
    })
  })

  it('may be long', () => {
    const { ranges } = parseShardSelector(Array.from({ length: 200 }, () => LOWER).join(' || '))
    expect(ranges).to.have.length(200)
  })

  it('are parsed in steps if they are long', () => {
    const steps = shardSelectorSteps(Array.from({ length: 1200 }, () => LOWER).join(' || '))
    let count = 0
    while (steps.next().done !== true) count++
    expect(count).to.be.greaterThan(10)
  })

  // Messages of kube-apiserver 1.37.2.
  const refused: [text: string, message: string][] = [
    [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    ['x', 'unexpected expression kind 3; expected shardRange() call or || operator'],
    ['a.b', 'unexpected expression kind 7; expected shardRange() call or || operator'],
    ['[]', 'unexpected expression kind 4; expected shardRange() call or || operator'],
    ['{}', 'unexpected expression kind 6; expected shardRange() call or || operator'],
    ['foo(1)', 'unsupported function "foo"; only shardRange() and || are allowed'],
    ['has(a.b)', 'unsupported function "has"; only shardRange() and || are allowed'],
    ['[1].exists(x, true)', 'unsupported function "exists"; only shardRange() and || are allowed'],
    ['!true', 'unsupported function "!_"; only shardRange() and || are allowed'],
    ['a ? b : c', 'unsupported function "_?_:_"; only shardRange() and || are allowed'],
    [`${LOWER} && true`, 'unsupported function "_&&_"; only shardRange() and || are allowed'],
    ['shardRange(object.metadata.uid)', 'shardRange() requires exactly 3 arguments, got 1'],
    [
      of('object.metadata.name', "'0x0000000000000000'"),
      'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
    ],
    [of('1', "'0x0000000000000000'"), 'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5'],
    [
      of('object.metadata.uid[0]', "'0x0000000000000000'"),
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 1',
    ],
    [uid("'0x0'"), 'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)'],
    [uid('1'), 'hexStart must be a string literal, got int64'],
    [uid('1.5'), 'hexStart must be a string literal, got float64'],
    [uid("b'0x0'"), 'hexStart must be a string literal, got []uint8'],
    [uid('a'), "hexStart must be a string literal (e.g. '0xff'), got expression kind 3"],
    [uid("'x'"), `hexStart must have '0x' prefix, got "x"`],
    [uid("'0x'"), "hexStart: hex value is required after '0x'"],
    [uid("'0x000000000000000G'"), 'hexStart: invalid hex character "G" in "0x000000000000000G"'],
    [uid("'0x000000000000000000'"), 'hexStart: hex value too long (18 chars, max 17): "000000000000000000"'],
    [uid("'0x20000000000000000'"), `hexStart: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x20000000000000000"`],
    [uid("'0x8000000000000000'"), 'shard range start 0x8000000000000000 must be less than end 0x8000000000000000'],
    [uid("'0x0000000000000000'", '2'), 'hexEnd must be a string literal, got int64'],
    [
      `${LOWER} || ${of('object.metadata.namespace', "'0x0000000000000000'")}`,
      'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
    ],
    [
      '1 +',
      "CEL parse error: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ]
  for (const [text, message] of refused)
    it(`refuse ${text}`, () => {
      expect(() => parseShardSelector(text)).to.throw(message)
    })
})
