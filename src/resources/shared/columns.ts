import type { ObjectMeta, TypedObject } from '../../api/meta/object.ts'
import type { TableColumn, TableDefinition } from '../../catalog/definition.ts'
import { age } from '../../meta/age.ts'
import { ownMember } from '../../meta/equal.ts'

/** Prints the name, followed by ` (default)` if the annotation marks the object as the default of its kind. */
export const nameOfDefault = ({ name = '', annotations }: ObjectMeta, annotation: string): string =>
  ownMember(annotations, annotation) === 'true' ? `${name} (default)` : name

/** Creates a string column. With `priority` 1 it is printed only with `-o wide`. */
export const column = (name: string, description: string, priority = 0, type: TableColumn['type'] = 'string'): TableColumn => ({
  name,
  type,
  description,
  ...(priority > 0 && { priority }),
})

/** First column of nearly every kind. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique in its namespace.',
}

/** Age column. It is a string, since the server formats ages. */
export const ageColumn: TableColumn = column('Age', 'Time since the object was created.')

/** Table with name and age only. */
export const NAME_AND_AGE: TableDefinition<TypedObject> = {
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, now) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
}

/** Returns the table without a column that earlier releases lack. */
export function withoutColumn<T extends TypedObject>({ columns, cells, ...table }: TableDefinition<T>, name: string): TableDefinition<T> {
  const kept = columns.map(each => each.name !== name)
  return { ...table, columns: columns.filter((_, i) => kept[i]), cells: (object, now) => cells(object, now).filter((_, i) => kept[i]) }
}
