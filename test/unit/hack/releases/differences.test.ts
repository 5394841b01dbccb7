import { expect } from 'chai'
import { lifecycleDifferences, typeDifferences } from '../../../../hack/releases/differences.ts'
import { readLifecycles } from '../../../../hack/releases/go-lifecycles.ts'
import { readGoTypes } from '../../../../hack/releases/go-structs.ts'

const struct = (name: string, ...fields: string[]): string => `type ${name} struct {\n${fields.join('\n')}\n}\n`
const field = (name: string, number: number, type = 'string', json = name): string =>
  `\tX ${type} \`json:"${json}" protobuf:"bytes,${number},opt,name=${name}"\``

describe('differences of two releases', () => {
  it('are lines of declarations', () => {
    const before = readGoTypes(`${struct('Book', field('title', 1), field('old', 2))}${struct('Gone')}`)
    const after = readGoTypes(`${struct('Book', field('title', 1, 'string', 'title,omitempty'), field('pages', 3, 'int32'))}${struct('New', field('a', 1))}`)
    expect(typeDifferences(before, after, '1.38')).to.deep.equal([
      'type Book',
      '  title 1 string until(1.38)',
      '  title 1 string? since(1.38)',
      '  pages 3 int32 since(1.38)',
      '  old 2 string until(1.38)',
      'type New',
      '  a 1 string',
      'type Gone is gone',
    ])
    expect(typeDifferences(after, after, '1.38')).to.deep.equal([])
  })

  it('include values of enums', () => {
    const colors = (...names: string[]) => readGoTypes(`// +enum\ntype Color string\n${names.map(name => `\t${name} Color = "${name}"\n`).join('')}`)
    expect(typeDifferences(colors('Red', 'Blue'), colors('Red', 'Green'), '1.38')).to.deep.equal(['enum Color: Green@1.38 Blue@-1.38'])
    expect(typeDifferences(readGoTypes(''), colors('Red', 'Blue'), '1.38')).to.deep.equal(['enum Color Blue Red'])
  })

  it('include lifecycles', () => {
    const method = (kind: string, member: string, body: string): string => `func (in *${kind}) APILifecycle${member}() (x int) {\n\treturn ${body}\n}\n`
    const before = readLifecycles(method('Book', 'Introduced', '1, 36') + method('BookList', 'Introduced', '1, 36') + method('Gone', 'Introduced', '1, 30'))
    const replacement = 'schema.GroupVersionKind{Group: "library.io", Version: "v1", Kind: "Book"}'
    const after = readLifecycles(
      method('Book', 'Introduced', '1, 36') +
        method('Book', 'Deprecated', '1, 38') +
        method('Book', 'Removed', '1, 41') +
        method('Book', 'Replacement', replacement),
    )
    expect(lifecycleDifferences(before, after)).to.deep.equal([
      "Book: since('1.36', '1.38', '1.41', 'library.io/v1 Book'), which was: since('1.36')",
      'Gone is gone',
    ])
  })
})
