import { parseDeclarations } from '../declarations.ts'

/**
 * Named formats of Kubernetes (since 1.31): `format.dns1123Label().validate(self.name)` is an optional list of errors,
 * which is empty if the text is valid. `format.named('uuid')` returns a format by a name that is known only at run
 * time. Source: kubernetes/apiserver, pkg/cel/library/format.go.
 */
export const FORMAT = parseDeclarations(`
  format.byte: format.byte() -> kubernetes.NamedFormat
  format.date: format.date() -> kubernetes.NamedFormat
  format.datetime: format.datetime() -> kubernetes.NamedFormat
  format.dns1035Label: format.dns1035Label() -> kubernetes.NamedFormat
  format.dns1035LabelPrefix: format.dns1035LabelPrefix() -> kubernetes.NamedFormat
  format.dns1123Label: format.dns1123Label() -> kubernetes.NamedFormat
  format.dns1123LabelPrefix: format.dns1123LabelPrefix() -> kubernetes.NamedFormat
  format.dns1123Subdomain: format.dns1123Subdomain() -> kubernetes.NamedFormat
  format.dns1123SubdomainPrefix: format.dns1123SubdomainPrefix() -> kubernetes.NamedFormat
  format.labelValue: format.labelValue() -> kubernetes.NamedFormat
  format-named: format.named(string) -> optional_type(kubernetes.NamedFormat)
  format.qualifiedName: format.qualifiedName() -> kubernetes.NamedFormat
  format.uri: format.uri() -> kubernetes.NamedFormat
  format.uuid: format.uuid() -> kubernetes.NamedFormat
  format-validate: .validate(kubernetes.NamedFormat, string) -> optional_type(list(string))
`)
