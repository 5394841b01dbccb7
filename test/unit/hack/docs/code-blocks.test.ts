import { expect } from 'chai'
import { codeBlocks, isServing, isShown, readMarker, shownCommands } from '../../../../hack/docs/code-blocks.ts'

describe('code blocks of pages', () => {
  it('have a language, a line and the options of the comment before them', () => {
    const page = '# A\n\n<!-- test: needs etcd, a network; beside -->\n```sh\nmake run\n```\n\nText\n\n```js\n1\n```\n'
    expect(codeBlocks(page)).to.deep.equal([
      { language: 'sh', text: 'make run', line: 4, marker: { needs: ['etcd', 'a network'], exits: 0, isBeside: true } },
      { language: 'js', text: '1', line: 10, marker: { needs: [], exits: 0 } },
    ])
  })

  const markers: Readonly<Record<string, object>> = {
    'shown, it takes long, as ever': { shown: 'it takes long, as ever' },
    'file shop/a b.yaml': { file: 'shop/a b.yaml' },
    'exits 1': { exits: 1 },
    'serves; beside': { serves: true, isBeside: true },
  }
  for (const [text, expected] of Object.entries(markers))
    it(`accept the option: ${text}`, () => expect(readMarker(`<!-- test: ${text} -->`)).to.deep.equal({ needs: [], exits: 0, ...expected }))
  for (const text of ['shown', 'needs', 'exits one', 'skipped, as I like', 'serves twice'])
    it(`reject the option: ${text}`, () => expect(() => readMarker(`<!-- test: ${text} -->`)).to.throw(JSON.stringify(text)))
  it('ignore other comments', () => expect(readMarker('<!-- a comment -->')).to.deep.equal({ needs: [], exits: 0 }))

  for (const text of [
    'make run',
    'make run ETCD=http://127.0.0.1:2379 # etcd',
    'bin/binnacle',
    './binnacle --history 24h',
    '$ bin/binnacle --ephemeral\n{}',
    'export A=b\nbinnacle --data-dir a',
  ])
    it(`start a server: ${JSON.stringify(text)}`, () => expect(isServing(text)).to.equal(true))
  for (const text of [
    'make build',
    'binnacle --help',
    'binnacle assets ./assets',
    'bin/binnacle --ephemeral &',
    '$ binnacle convert -f a\nb',
    'make -C x run',
  ])
    it(`end by themselves: ${JSON.stringify(text)}`, () => expect(isServing(text)).to.equal(false))

  it('contain commands with their output', () => {
    expect(shownCommands('$ a \\\n  b\nc\nd\n$ e')).to.deep.equal([
      { command: 'a \\\n  b', output: 'c\nd\n' },
      { command: 'e', output: '' },
    ])
  })

  const outputs: readonly (readonly [shown: string, printed: string, same: boolean])[] = [
    ['NAME   AGE\na      5s', 'NAME AGE\na    1m30s\n', true],
    ['a b', 'a  b\n\n', true],
    ['a b', 'ab', false],
    ['a (b) [c].', 'a (b) [c].', true],
    ['{"url":"https://127.0.0.1:39115"}', '{"url":"https://127.0.0.1:10023"}', true],
    ['begins … ends', 'begins\nwith\nmuch ends', true],
    ['begins …', 'begins ', true],
    ['a', 'a\nb', false],
    ['replicas: 5', 'replicas: 6', false],
  ]
  for (const [shown, printed, same] of outputs)
    it(`${same ? 'accept' : 'reject'} ${JSON.stringify(printed)} for ${JSON.stringify(shown)}`, () =>
      expect(isShown(shown, printed)).to.equal(same))
})
