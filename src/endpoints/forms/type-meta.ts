import { apiVersionOfVersion, listKindOf } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import type { TypeMeta } from '../../codec/protobuf.ts'

export const typeMetaOf = (version: Version): TypeMeta => ({ apiVersion: apiVersionOfVersion(version), kind: version.kind })

export const listTypeMetaOf = (version: Version): TypeMeta => ({ apiVersion: apiVersionOfVersion(version), kind: listKindOf(version) })
