import { expect } from 'chai'
import { contentsFaults, readContents } from '../../../../hack/docs/contents.ts'
import { linkFaults, targetOf } from '../../../../hack/docs/links.ts'
import { readMarkdown } from '../../../../hack/docs/markdown.ts'

const faults = (text: string, page = 'docs/testing.md'): string[] => linkFaults(new Map([[page, readMarkdown(text)]]))

describe('pages of the documentation', () => {
  it('have unique anchors, as on GitHub', () => {
    const { headings } = readMarkdown('# `binnacle/cel`: a b\n## Was it?\n## Was _it_\n### [Link](x.md) & more\n')
    expect(headings.map(({ anchor }) => anchor)).to.deep.equal(['binnaclecel-a-b', 'was-it', 'was-_it_', 'link--more'])
    expect(readMarkdown('# A\n## A\n## A\n').headings.map(({ anchor }) => anchor)).to.deep.equal(['a', 'a-1', 'a-2'])
  })

  it('resolve links from their own folder', () => {
    expect(targetOf('docs/cel.md', '../README.md#in-tests')).to.deep.equal({ file: 'README.md', anchor: 'in-tests' })
    expect(targetOf('docs/cel.md', '#a')).to.deep.equal({ file: 'docs/cel.md', anchor: 'a' })
    expect(targetOf('docs/cel.md', 'https://kubernetes.io')).to.deep.equal({ external: 'https://kubernetes.io' })
  })

  const cases: Readonly<Record<string, readonly [text: string, faults: readonly string[]]>> = {
    'a page': ['[a](../README.md)', []],
    'a heading of another page': ['[a](../README.md#flags)', []],
    'a heading of the page itself': ['# One\n[a](#one)', []],
    'a file': ['[a](../manifests/compose.yaml)', []],
    'a link in a table': ['| a |\n| --- |\n| [b](nowhere.md) |', ['docs/testing.md: nowhere.md: there is no such file']],
    'no page': ['[a](nowhere.md)', ['docs/testing.md: nowhere.md: there is no such file']],
    'no heading': ['[a](../README.md#nowhere)', ['docs/testing.md: ../README.md#nowhere: there is no such heading']],
    'an anchor in a file': ['[a](../LICENSE#b)', ['docs/testing.md: ../LICENSE#b: only pages have anchors']],
    'a place outside': ['[a](../../x.md)', ['docs/testing.md: ../../x.md: it leads out of the repository']],
    'an address without TLS': ['[a](http://kubernetes.io)', ['docs/testing.md: http://kubernetes.io: it is not an https: address']],
  }
  for (const [name, [text, expected]] of Object.entries(cases))
    it(`may link to: ${name}`, () => expect(faults(text)).to.deep.equal(expected))
})

describe('the table of contents', () => {
  it('reports pages that are missing, do not exist, or are listed twice', () => {
    const sections = readContents('- title: A\n  pages: [docs/nowhere.md, docs/cel.md, docs/cel.md, docs/decisions/*.md]\n')
    const found = contentsFaults(sections, new Set(['docs/reference/flags.md']))
    expect(found).to.include('docs/contents.yaml: docs/testing.md is missing')
    expect(found).to.include('docs/contents.yaml: docs/reference/flags.md is missing')
    expect(found).to.include('docs/contents.yaml: there is no docs/nowhere.md')
    expect(found).to.include('docs/contents.yaml: docs/cel.md is listed twice')
    expect(found.filter(fault => fault.includes('docs/decisions'))).to.deep.equal([])
  })
  it('consists of sections with pages', () => {
    expect(() => readContents('a: b')).to.throw('a list of sections is expected')
    expect(() => readContents('- title: A')).to.throw('a section needs a list of pages')
  })
})
