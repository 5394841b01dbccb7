import type { JsonSchemaProps } from '../../src/api/apiextensions/json-schema-props.ts'
import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import { customStruct } from '../../src/schema/json-schema/custom-struct.ts'
import { unstructuredForm } from '../../src/schema/json-schema/unstructured-form.ts'
import { widgetResource } from './test-registry.ts'

/** Widgets as a definition makes them: `example.io/v1`, namespaced, of any content. */
export function customResource(
  props: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
): ResourceDefinition {
  const form = unstructuredForm({ group: 'example.io', kind: 'Widget', schemas: new Map([['v1', props]]), preserveUnknown: false }, 'v1')
  return widgetResource({ version: { schema: customStruct(props, { kind: 'Widget', definition: 'io.example.v1.Widget', form }) } })
}
