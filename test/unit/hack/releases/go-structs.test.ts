import { expect } from 'chai'
import { readGoConstants, readGoTypes, structLines } from '../../../../hack/releases/go-structs.ts'

const TEXT = `
import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	apimachinerytypes "k8s.io/apimachinery/pkg/types"
)

// +enum
type Color string

const (
	Red  Color = "Red"
	Blue Color = "Blue"
	Mint = Color(corev1.Mint)
)

type Shelf string

type Notes []string

// Book is a book.
// +genclient
type Book struct {
	metav1.TypeMeta \`json:",inline"\`
	// +optional
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`

	// color of the cover.
	// +featureGate=Covers
	// +optional
	// +default=ref(Red)
	// +k8s:alpha(since: "1.37")=+k8s:immutable
	Color *Color \`json:"color,omitempty" protobuf:"bytes,2,opt,name=color"\`
	// +required
	Pages int32 \`json:"pages" protobuf:"varint,3,opt,name=pages"\`
	// +listType=map
	// +listMapKey=name
	// +patchStrategy=merge
	// +patchMergeKey=name
	Parts []Part \`json:"parts,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,4,rep,name=parts"\`
	Lent map[string]metav1.Time \`json:"lent" protobuf:"bytes,5,rep,name=lent"\`
	Group *schedulingv1alpha3.Group \`json:"group" protobuf:"bytes,6,opt,name=group"\`
	Owner apimachinerytypes.UID \`json:"owner,omitempty,omitzero" protobuf:"bytes,7,opt,name=owner"\`
	// Deprecated: not read.
	// +optional
	Notes Notes \`json:"notes" protobuf:"bytes,8,opt,name=notes"\`
	Part \`json:",inline" protobuf:"bytes,9,opt,name=part"\`
	Limits corev1.ResourceList \`json:"limits,omitempty" protobuf:"bytes,10,rep,name=limits"\`
	hidden string
}

// +structType=atomic
type Part struct{}

type Empty struct {}
`

describe('types of a Go file', () => {
  const ids: Readonly<Record<string, string>> = { 'k8s.io/api/core/v1': 'core', 'k8s.io/api/scheduling/v1alpha3': 'schedulingV1alpha3' }
  const constants = readGoConstants(['const (\n\tMint Color = "Mint"\n)'])
  const { structs, enums, strings } = readGoTypes([TEXT], { packageOf: path => ids[path], constants })
  const linesOf = (name: string): string[] => {
    const struct = structs.get(name)
    return struct === undefined ? [] : structLines(struct)
  }

  it('become declarations', () => {
    expect(linesOf('Book')).to.deep.equal([
      'type Book typemeta',
      '  metadata 1 meta.ObjectMeta?',
      '  color 2 *Color? gate(Covers) = "Red"',
      '  pages 3 int32',
      '  parts 4 []Part? map(name) merge(name)',
      '  lent 5 map[string]Time',
      '  group 6 *schedulingV1alpha3.Group',
      '  owner 7 UID? omitzero',
      '  notes 8 []string optional deprecated',
      '  inline 9 Part',
      '  limits 10 map[string]Quantity?',
    ])
    expect(linesOf('Part')).to.deep.equal(['type Part atomic'])
    expect(structs.has('Empty')).to.equal(true)
  })

  it('include values of string types, with those of constants in other packages', () => {
    expect(Object.fromEntries(enums)).to.deep.equal({ Color: ['Blue', 'Mint', 'Red'] })
    expect([...strings]).to.deep.equal(['Shelf'])
  })

  it('state resources and declared validation', () => {
    expect([...structs.values()].filter(({ isResource }) => isResource).map(({ name }) => name)).to.deep.equal(['Book'])
    expect(structs.get('Book')?.rules.get('color')).to.deep.equal(['+k8s:alpha(since: "1.37")=+k8s:immutable'])
  })
})
