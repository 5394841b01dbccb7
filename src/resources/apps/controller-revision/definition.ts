import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { parseApiVersion, qualifiedResource } from '../../../meta/gvk.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { appsVersion } from '../shared/kind.ts'
import { validateControllerRevision } from './validation.ts'

/** `statefulset.apps/web` */
function controllerCell(object: KubeObject): string {
  const owner = object.metadata.ownerReferences?.find(reference => reference.controller)
  if (!owner) return '<none>'
  const group = parseApiVersion(owner.apiVersion)?.group ?? ''
  return `${qualifiedResource({ group, resource: owner.kind }).toLowerCase()}/${owner.name}`
}

const table: TableDefinition = {
  columns: [nameColumn, column('Controller', 'The controller to which the revision belongs.'), column('Revision', 'Number of the revision.'), ageColumn],
  cells: (object, now) => [object.metadata.name ?? '', controllerCell(object), object.revision ?? 0, age(object.metadata.creationTimestamp, now)],
}

const v1: Version = {
  ...appsVersion('ControllerRevision', { plural: 'controllerrevisions', singular: 'controllerrevision' }, false),
  table,
}

export const controllerRevisionResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'controllerrevisions', version: v1 },
  strategy: { validateName: nameIsDnsSubdomain, validate: validateControllerRevision },
}
