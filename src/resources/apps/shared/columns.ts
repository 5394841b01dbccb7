import type { TableColumn } from '../../../catalog/definition.ts'

/** A column of a Table; priority 1 shows with `-o wide` only. */
export const column = (name: string, type: TableColumn['type'], description: string, priority = 0): TableColumn => ({
  name,
  type,
  description,
  ...(priority > 0 && { priority }),
})

export const NAME_COLUMN: TableColumn = { name: 'Name', type: 'string', format: 'name', description: 'Name of the object.' }
export const AGE_COLUMN: TableColumn = column('Age', 'string', 'Time since the object was created.')

/** What `-o wide` adds for kinds with a pod template. */
export const CONTAINER_COLUMNS: readonly TableColumn[] = [
  column('Containers', 'string', 'Names of the containers in the template.', 1),
  column('Images', 'string', 'Images of the containers in the template.', 1),
]

export const SELECTOR_COLUMN: TableColumn = column('Selector', 'string', 'Labels by which pods are selected.', 1)
