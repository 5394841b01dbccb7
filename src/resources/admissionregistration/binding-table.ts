import type { ValidatingAdmissionPolicyBinding } from '../../api/admissionregistration/v1.types.ts'
import type { MutatingAdmissionPolicyBinding } from '../../api/admissionregistration/v1alpha1.types.ts'
import type { TableDefinition } from '../../catalog/definition.ts'
import { age } from '../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../shared/columns.ts'
import { paramRefCell } from './param-ref.ts'

/** Table of bindings of validating and mutating policies. */
export const bindingTable: TableDefinition<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding> = {
  columns: [
    nameColumn,
    column('PolicyName', 'Policy of the binding.'),
    column('ParamRef', 'Reference to the parameters of the policy.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec.policyName ?? '',
    paramRefCell(spec.paramRef),
    age(metadata.creationTimestamp, now),
  ],
}

const PARAM_COLUMN = 2

/** Before 1.28 a parameter reference without a namespace printed as its name alone. */
export const earlyBindingTable: typeof bindingTable = {
  ...bindingTable,
  cells: (binding, now) => {
    const { name, namespace } = binding.spec.paramRef ?? {}
    return bindingTable.cells(binding, now).map((cell, i) => (i === PARAM_COLUMN && name && !namespace ? name : cell))
  },
}
