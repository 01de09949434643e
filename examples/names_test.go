package examples

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// untold are names that docs/pytorch.md leaves out: methods that every Go program knows, what it says of packages of models, and the interfaces of options.
var untold = regexp.MustCompile(`\.(String|GoString|Format|Error|Unwrap|MarshalText|UnmarshalText|Forward|TensorParallelPlan|GradientCheckpointing)$|Option$|^(New|Model|Config|ReadConfig)$`)

// TestEveryNameIsInTheTable wants in docs/pytorch.md every exported name of each public package, or one of which it is a form, once, and
// no other.
func TestEveryNameIsInTheTable(t *testing.T) {
	page := read(t, "../docs/pytorch.md")
	ofInterfaces, listed := interfaceMethods(t), namesListed(t)
	told := map[string]int{}
	follows := func(pkg, name string) bool {
		_, method, _ := strings.Cut(name, ".")
		return ofInterfaces[method] && !ofInterfaces[pkg+"."+name] || untold.MatchString(name) ||
			slices.ContainsFunc(bases(name), func(base string) bool { return told[base] > 0 || listed[pkg+"."+base] })
	}
	for _, pkg := range publicPackages(t) {
		_, section, ok := strings.Cut(page, "\n## "+pkg+"\n")
		if !ok {
			t.Errorf("docs/pytorch.md has no section %s", pkg)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		told = namesTold(path.Base(pkg), section)
		unlisted := optionsAndConstants(readAPI(t, pkg))
		real := exported(t, filepath.Join("..", filepath.FromSlash(pkg)))
		for name := range real {
			if told[name] == 0 && !unlisted[name] && !follows(pkg, name) {
				t.Errorf("docs/pytorch.md lacks %s of package %s", name, pkg)
			}
		}
		for name, n := range told {
			if !real[name] {
				t.Errorf("docs/pytorch.md invents %s of package %s", name, pkg)
			} else if n > 1 {
				t.Errorf("docs/pytorch.md has %s of package %s %d times", name, pkg, n)
			}
		}
	}
}

// bases returns a name and those of which it is a form, by the rules at the top of docs/pytorch.md.
func bases(name string) []string {
	all := []string{name}
	add := func(base string) {
		if !slices.Contains(all, base) {
			all = append(all, base)
		}
	}
	for i := 0; i < len(all); i++ {
		for _, form := range []string{"InPlace", "Scalar", "Axis", "Axes"} {
			add(strings.TrimSuffix(all[i], form))
		}
		add(regexp.MustCompile("[23]D").ReplaceAllString(all[i], "1D"))
		add(strings.TrimPrefix(all[i], "Place."))
		add(strings.TrimPrefix(all[i], "New"))
		add("New" + strings.TrimPrefix(all[i], "New"))
	}
	return all
}

// namesListed returns the names of Go in docs/torch.txt, with their package in front.
func namesListed(t *testing.T) map[string]bool {
	t.Helper()
	listed := map[string]bool{}
	for _, c := range coverages(t) {
		for _, as := range c.present {
			of, name, _ := strings.Cut(as, ".")
			if of == "x" {
				of, name = "tensor", "Tensor."+name
			}
			for _, pkg := range homes[c.module] {
				if path.Base(pkg) == of {
					listed[pkg+"."+name] = true
				}
			}
		}
	}
	return listed
}

// interfaceMethods returns the methods that interfaces of public packages have, by their names and with package and interface in front.
func interfaceMethods(t *testing.T) map[string]bool {
	t.Helper()
	methods := map[string]bool{}
	for _, pkg := range publicPackages(t) {
		for _, d := range readAPI(t, pkg).decls {
			for _, s := range d.Specs {
				s, ok := s.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() {
					continue
				}
				if _, isInterface := s.Type.(*ast.InterfaceType); !isInterface {
					continue
				}
				for _, name := range declared(&ast.GenDecl{Specs: []ast.Spec{s}})[1:] {
					methods[pkg+"."+name] = true
					methods[strings.TrimPrefix(name, s.Name.Name+".")] = true
				}
			}
		}
	}
	return methods
}

// optionsAndConstants returns the functions that return an option, numbers, bools and texts that are one by their type, and the constants of
// exported types.
func optionsAndConstants(a *api) map[string]bool {
	names := map[string]bool{}
	var enums []string
	for _, f := range a.funcs {
		if r := f.Type.Results; f.Recv == nil && r != nil && strings.HasSuffix(a.print(r.List[0].Type), "Option") {
			names[f.Name.Name] = true
		}
	}
	for _, d := range a.decls {
		typ := ""
		for _, s := range d.Specs {
			if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST {
				if s.Type != nil || s.Values != nil {
					typ = ""
				}
				if s.Type != nil {
					typ = a.print(s.Type)
				}
				if ast.IsExported(typ) {
					names[s.Names[0].Name] = true
					enums = append(enums, typ)
				}
			}
			if s, ok := s.(*ast.TypeSpec); ok {
				names[s.Name.Name] = slices.Contains([]string{"bool", "int", "float64", "string"}, a.print(s.Type))
			}
		}
	}
	for _, typ := range enums {
		delete(names, typ)
	}
	return names
}

// publicPackages returns the packages that users import.
func publicPackages(t *testing.T) (packages []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && regexp.MustCompile(`^(internal|cmd|examples|docs|scripts)$|(^|/)(\.[^/]+|testdata)$`).MatchString(name):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !slices.Contains(packages, path.Dir(name)):
			packages = append(packages, path.Dir(name))
		}
		return nil
	})
	if err != nil || len(packages) < 9 {
		t.Fatalf("%v, found %v", err, packages)
	}
	return packages
}

// exported returns the exported names of a package; a method's has its type's in front.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			for _, name := range declared(d) {
				if !slices.ContainsFunc(strings.Split(name, "."), func(part string) bool { return !ast.IsExported(part) }) {
					names[name] = true
				}
			}
		}
	}
	return names
}

// declared returns the names that a declaration makes, those of an interface's methods among them.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{receiver(d.Recv.List[0].Type) + "." + d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				if i, ok := s.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						for _, n := range m.Names {
							names = append(names, s.Name.Name+"."+n.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// receiver names the type of a method, without pointer and type parameters.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// namesTold counts the names in the lists and the right columns of a section: those of the package's own, of its types' methods, and x's for
// a tensor's.
func namesTold(pkg, section string) map[string]int {
	told := map[string]int{}
	for line := range strings.Lines(section) {
		cells := regexp.MustCompile(` \| `).Split(line, -1)
		for _, m := range regexp.MustCompile("`(\\w+)\\.(\\w+)`").FindAllStringSubmatch(cells[len(cells)-1], -1) {
			switch m[1] {
			case pkg:
				told[m[2]]++
			case "x":
				told["Tensor."+m[2]]++
			default:
				told[m[1]+"."+m[2]]++
			}
		}
	}
	return told
}

// TestNotesNamesAreInTheTable wants the names that the notes use.
func TestNotesNamesAreInTheTable(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "../docs/pytorch.md"), "\n## The notes' names\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, name := range []string{
		"torch.device", "torch.cuda.is_available", "torch.cuda.device_count", "torch.cuda.current_device", "torch.cuda.get_device_name",
		"torch.cuda.set_device", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "try_gpu", "try_all_gpus", "torch.tensor",
		"torch.Tensor", "torch.ones", "torch.rand", "torch.randn", "torch.float64", "torch.__version__", ".device", ".shape", ".dtype",
		".size()", ".is_cuda", "id(", ".to(", ".cuda(", ".cpu(", "**2", ".add_", ".numpy()", "np.add", "nn.Linear", "nn.Sequential",
		".parameters()", ".weight.data.device", "nn.DataParallel", "device_ids", "output_device", "dim=", "os.environ.setdefault",
		"CUDA_VISIBLE_DEVICES", "np.argsort", "nvidia-smi", "nvidia-smi -q -d Memory",
	} {
		if !strings.Contains(section, name) {
			t.Errorf("docs/pytorch.md lacks the notes' %s", name)
		}
	}
}
