import type { TableColumn, TableDefinition } from '../../catalog/definition.ts'
import { age } from '../../meta/age.ts'
import { ownMember } from '../../meta/equal.ts'
import type { ObjectMeta, TypedObject } from '../../meta/object.ts'

/** The name, and ` (default)` where the annotation marks the object as the default of its kind. */
export const nameOfDefault = ({ name = '', annotations }: ObjectMeta, annotation: string): string =>
  ownMember(annotations, annotation) === 'true' ? `${name} (default)` : name

/** A column of text; `priority` 1: only with `-o wide`. */
export const column = (name: string, description: string, priority = 0, type: TableColumn['type'] = 'string'): TableColumn => ({
  name,
  type,
  description,
  ...(priority > 0 && { priority }),
})

/** The first column of nearly every kind. */
export const nameColumn: TableColumn = { name: 'Name', type: 'string', format: 'name', description: 'Name of the object, unique in its namespace.' }

/** Ages are text: the server prints them. */
export const ageColumn: TableColumn = column('Age', 'Time since the object was created.')

/** The table of a kind of which nothing else is printed. */
export const NAME_AND_AGE: TableDefinition<TypedObject> = {
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, now) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
}

/** The table without a column that earlier releases do not have. */
export function withoutColumn<T extends TypedObject>({ columns, cells, ...table }: TableDefinition<T>, name: string): TableDefinition<T> {
  const kept = columns.map(each => each.name !== name)
  return { ...table, columns: columns.filter((_, i) => kept[i]), cells: (object, now) => cells(object, now).filter((_, i) => kept[i]) }
}
