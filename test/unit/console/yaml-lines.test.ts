import { expect } from 'chai'
import { load } from 'js-yaml'
import type { Json } from '../../../src/console/objects.ts'
import { lineText, yamlLines } from '../../../src/console/yaml-lines.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

const textOf = (value: Json): string => yamlLines(value).map(lineText).join('\n')

describe('the YAML lines of an object', () => {
  it("match kubectl's", () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'a', labels: {}, finalizers: [] },
      spec: { containers: [{ name: 'web', args: ['-c', 'x\ny\n'] }], size: 3 },
    }
    expect(textOf(pod).split('\n')).to.deep.equal([
      'kind: Pod',
      'metadata:',
      '  name: a',
      '  labels: {}',
      '  finalizers: []',
      'spec:',
      '  containers:',
      '  - name: web',
      '    args:',
      '    - "-c"',
      '    - |',
      '      x',
      '      y',
      '  size: 3',
    ])
  })

  it('have the path of their field', () => {
    const lines = yamlLines({ metadata: { labels: { 'a/b~c': 'x' } }, list: [{ name: 'a', value: 1 }] })
    expect(lines.map(({ path }) => path)).to.deep.equal([
      '/metadata',
      '/metadata/labels',
      '/metadata/labels/a~1b~0c',
      '/list',
      '/list/0/name',
      '/list/0/value',
    ])
  })

  const TEXTS = [
    '',
    'a',
    'true',
    'null',
    '~',
    '1',
    '1.5',
    '-',
    '- a',
    'a: b',
    'a #b',
    '#',
    '"',
    "'",
    'a\nb',
    'a\nb\n',
    '\n',
    ' lead',
    'end ',
    '2026-01-02',
    '12:30',
    'ü\u202e',
    '\u0000',
    '\t',
    '{',
    '[',
    '&x',
    '*x',
    '!x',
    '|',
    '>',
    '%',
    '@',
    '`',
    'y',
    'no',
    '0x1f',
    '.inf',
    'a\n\n b',
    '  x\ny',
    '\u2028',
    '\u{e0001}',
  ]
  it('parse to the same object', () => {
    const { below } = drawing(7)
    const value = (depth: number): Json => {
      const kind = below(depth > 3 ? 4 : 7)
      if (kind < 3) return TEXTS[below(TEXTS.length)] ?? ''
      if (kind === 3) return [null, true, false, 0, -1.5, 1e21][below(6)] as Json
      if (kind < 6)
        return Object.fromEntries(
          Array.from({ length: below(4) }, (_, i) => [i === 0 ? (TEXTS[below(TEXTS.length)] ?? '') : `k${i}`, value(depth + 1)]),
        )
      return Array.from({ length: below(4) }, () => value(depth + 1))
    }
    for (let i = 0; i < 2_000; i++) {
      const made = { root: value(0) }
      expect(load(textOf(made)), textOf(made)).to.deep.equal(made)
    }
  })

  it('cut long values', () => {
    const [line] = yamlLines({ a: 'x'.repeat(1_000_000) })
    expect(line?.cutFrom).to.equal(1_000_000)
    expect(line?.value).to.have.lengthOf(2_000)
  })

  it('escape characters that change the text direction', () => {
    expect(textOf({ a: 'x\u202ey' })).to.equal('a: "x\\u202ey"')
  })

  it('process deeply nested objects without recursion', () => {
    let deep: Json = 1
    for (let i = 0; i < 50_000; i++) deep = [deep]
    expect(yamlLines(deep).length).to.be.greaterThan(50_000)
  })
})

function drawing(seed: number): { below(most: number): number } {
  const random = seededRandom(seed)
  return { below: most => Math.floor(random() * most) }
}
