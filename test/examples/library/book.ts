import { defineResource } from '../../../src/catalog/define.ts'
import type { TableDefinition, Version } from '../../../src/catalog/definition.ts'
import type { Strategy } from '../../../src/catalog/strategy.ts'
import { age } from '../../../src/meta/age.ts'
import { type FieldError, invalid, notSupported, required } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../../src/resources/shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../../src/resources/shared/spec-generation.ts'
import { keepSpec, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../../src/resources/shared/strategy-parts.ts'
import { types } from '../types.ts'
import type { Book } from './v1.types.ts'

const CONDITIONS: readonly string[] = ['New', 'Used']

function validateBook({ spec: { title, pages, condition } }: Book, old: Book | undefined): FieldError[] {
  const path = fieldPath('spec')
  return [
    ...(title === '' ? [required(path.child('title'))] : []),
    ...(pages !== undefined && pages < 1 ? [invalid(path.child('pages'), pages, 'must be greater than 0')] : []),
    ...(CONDITIONS.includes(condition) ? [] : [notSupported(path.child('condition'), condition, CONDITIONS)]),
    ...(old && old.spec.title !== title ? [invalid(path.child('title'), title, 'field is immutable')] : []),
  ]
}

const bookStrategy: Strategy<Book> = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, {})
  },
  validate: validateBook,
  warnings: ({ spec }) => (spec.authors === undefined ? ['spec.authors: a book without authors is hard to find'] : []),
}

const bookStatusStrategy: Strategy<Book> = {
  resetFields: SPEC_FIELDS,
  prepare: keepSpec,
}

const bookTable: TableDefinition<Book> = {
  columns: [nameColumn, column('Title', 'Title of the book.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec.title, age(metadata.creationTimestamp, now)],
}

const v1: Version<Book> = {
  group: 'library.example.dev',
  name: 'v1',
  kind: 'Book',
  names: { plural: 'books', singular: 'book' },
  verbs: STANDARD_VERBS,
  schema: types.type('library.Book'),
  table: bookTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: bookStatusStrategy } },
}

export const bookResource = defineResource<Book>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'library.example.dev/books', version: v1 },
  strategy: bookStrategy,
})
