//! One table for each programming language, most derived from a family.

use super::families::{
    BRACES, C, C_COMMENT, CPP, DOUBLE, HASH, JAVA, JAVASCRIPT, JSON, LISP, PLAIN, PYTHON, SHELL,
    SINGLE, SLASHES, SQL, TRIPLE,
};
use super::{Quote, Spec};

/// All languages.
pub(super) static SPECS: &[Spec] = &[
    C,
    CPP,
    JAVASCRIPT,
    JSON,
    JAVA,
    PYTHON,
    SHELL,
    SQL,
    LISP,
    Spec {
        names: "objectivec objective-c objc m mm obj-c",
        keywords: "auto break case class const continue default do else enum extern for goto if \
            import in inline interface implementation end property protocol optional required \
            synthesize dynamic selector encode try catch finally throw synchronized autoreleasepool \
            return sizeof static struct self super switch typedef typeof union volatile while \
            strong weak copy assign nonatomic atomic readonly readwrite nullable nonnull",
        types: "BOOL Class IMP SEL bool char double float id instancetype int long short signed \
            unsigned void NSInteger NSUInteger CGFloat",
        constants: "YES NO nil Nil NULL true false",
        annotations: true,
        upper_types: true,
        ..C
    },
    Spec {
        names: "csharp cs c# dotnet",
        keywords: "abstract add as async await base break case catch checked class const continue \
            default delegate do dynamic else enum event explicit extern finally fixed for foreach \
            from get global goto if implicit in init interface internal into is join let lock \
            namespace new not operator or orderby out override params partial private protected \
            public readonly record ref remove required return sealed select set sizeof stackalloc \
            static struct switch this throw try typeof unchecked unsafe using value var virtual \
            volatile when where while with yield",
        types: "bool byte char decimal double float int long nint nuint object sbyte short string \
            uint ulong ushort void",
        quotes: &[
            TRIPLE,
            Quote::new("@\"", "\"").multiline().doubled(),
            Quote::new("$\"", "\"").with("{"),
            DOUBLE,
            SINGLE,
        ],
        preprocessor: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "go golang gomod",
        keywords: "break case chan const continue default defer else fallthrough for func go goto \
            if import interface map package range return select struct switch type var",
        types: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 \
            int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
        constants: "true false nil iota",
        functions: "append cap close copy delete len make new panic print println recover",
        quotes: &[DOUBLE, SINGLE, Quote::new("`", "`").raw().multiline()],
        ..BRACES
    },
    Spec {
        names: "rust rs ron",
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl \
            in let loop macro_rules match mod move mut pub ref return self Self static struct \
            super trait type union unsafe use where while yield",
        types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
        constants: "true false None",
        quotes: &[
            Quote::new("r##\"", "\"##").raw().multiline(),
            Quote::new("r#\"", "\"#").raw().multiline(),
            Quote::new("r\"", "\"").raw().multiline(),
            DOUBLE.multiline(),
            SINGLE,
        ],
        prefixes: &["b", "c"],
        nested_comments: true,
        lifetimes: true,
        macros: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "swift",
        keywords: "actor any as associatedtype async await break case catch class continue \
            convenience default defer deinit didSet do else enum extension fallthrough fileprivate \
            final for func get guard if import in indirect infix init inout internal is lazy let \
            mutating nonisolated open operator optional override postfix precedencegroup prefix \
            private protocol public repeat required rethrows return self Self set some static \
            struct subscript super switch throw throws try typealias unowned var weak where while \
            willSet",
        constants: "true false nil",
        quotes: &[TRIPLE.with("\\("), DOUBLE.with("\\(")],
        annotations: true,
        nested_comments: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "kotlin kt kts",
        keywords: "abstract actual annotation as break by catch class companion const constructor \
            continue crossinline data do else enum expect external final finally for fun get if \
            import in infix init inline inner interface internal is lateinit noinline object open \
            operator out override package private protected public reified return sealed set \
            super suspend tailrec this throw try typealias val var vararg when where while",
        quotes: &[TRIPLE.with("${"), DOUBLE.with("${"), SINGLE],
        sigils: "$",
        annotations: true,
        nested_comments: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "scala sc sbt",
        keywords: "abstract case catch class def do else enum export extends extension final \
            finally for forSome given if implicit import inline lazy match new object opaque open \
            override package private protected return sealed super then this throw trait \
            transparent try type using val var while with yield",
        quotes: &[TRIPLE.with("${"), DOUBLE.with("${"), SINGLE],
        prefixes: &["s", "f"],
        annotations: true,
        lifetimes: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "groovy gradle jenkinsfile jenkins",
        keywords: "abstract as assert break case catch class const continue def default do else \
            enum extends final finally for goto if implements import in instanceof interface new \
            package private protected public return static super switch this throw throws trait \
            try var void while",
        types: "boolean byte char double float int long short void",
        quotes: &[
            TRIPLE.with("${"),
            Quote::new("'''", "'''").multiline(),
            DOUBLE.with("${"),
            SINGLE,
        ],
        annotations: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "dart flutter",
        keywords: "abstract as assert async await base break case catch class const continue \
            covariant default deferred do dynamic else enum export extends extension external \
            factory final finally for get hide if implements import in interface is late library \
            mixin new on operator part required rethrow return sealed set show static super \
            switch sync this throw try typedef var void when while with yield",
        types: "bool double int num String List Map Set Future Stream",
        quotes: &[
            TRIPLE.with("${"),
            Quote::new("'''", "'''").multiline().with("${"),
            DOUBLE.with("${"),
            SINGLE.with("${"),
        ],
        annotations: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "php php5 php7 php8 phtml hack",
        keywords: "abstract and array as break callable case catch class clone const continue \
            declare default do echo else elseif empty enum exit extends final finally fn for \
            foreach from function global goto if implements include include_once instanceof \
            insteadof interface isset list match namespace new or print private protected public \
            readonly require require_once return static switch throw trait try unset use var \
            while xor yield",
        types: "bool float int iterable mixed never object string void self parent",
        constants: "true false null TRUE FALSE NULL",
        line_comments: &["//", "# "],
        quotes: &[DOUBLE.multiline().with("{$"), SINGLE.multiline(), Quote::new("`", "`")],
        here_documents: &["<<<"],
        sigils: "$",
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "ruby rb rails irb gemfile podfile rakefile jruby crystal cr vagrantfile fastfile",
        keywords: "alias and attr_accessor attr_reader attr_writer begin break case class def \
            defined do else elsif end ensure extend for if in include module new next not or \
            private protected public raise redo rescue retry return self super then undef unless \
            until when while yield require require_relative",
        constants: "true false nil __FILE__ __LINE__",
        line_comments: HASH,
        block_comments: &[("=begin", "=end")],
        quotes: &[
            DOUBLE.multiline().with("#{"),
            SINGLE.multiline(),
            Quote::new("`", "`").with("#{"),
        ],
        here_documents: &["<<~", "<<-", "<<"],
        sigils: "$@",
        extra_word: "?",
        regexes: true,
        upper_types: true,
        colon_keys: true,
        ..PLAIN
    },
    Spec {
        names: "elixir ex exs heex",
        keywords: "after alias and case catch cond def defdelegate defexception defimpl defmacro \
            defmodule defp defprotocol defstruct do else end fn for if import in not or quote \
            raise receive require rescue try unless unquote use when with",
        constants: "true false nil",
        line_comments: HASH,
        quotes: &[TRIPLE.with("#{"), DOUBLE.multiline().with("#{"), SINGLE],
        annotations: true,
        extra_word: "?",
        upper_types: true,
        colon_keys: true,
        ..PLAIN
    },
    Spec {
        names: "erlang erl",
        keywords: "after and andalso begin band bnot bor bxor case catch cond div end fun if let \
            not of or orelse receive rem try when xor module export import",
        constants: "true false undefined ok error",
        line_comments: &["%"],
        quotes: &[DOUBLE.multiline(), SINGLE],
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "perl pl pm raku",
        keywords: "and cmp continue die do each else elsif eq exists for foreach ge given goto gt \
            if keys last le local lt my ne next no not or our package print push redo require \
            return say shift sort split state sub undef unless until use values wantarray warn \
            when while xor",
        line_comments: HASH,
        comments_apart: true,
        quotes: &[DOUBLE.multiline(), SINGLE.multiline()],
        here_documents: &["<<"],
        sigils: "$@%",
        regexes: true,
        ..PLAIN
    },
    Spec {
        names: "lua luau moonscript teal",
        keywords: "and break do else elseif end for function goto if in local not or repeat \
            return then until while",
        constants: "true false nil self",
        line_comments: &["--"],
        block_comments: &[("--[[", "]]"), ("--[=[", "]=]")],
        quotes: &[Quote::new("[[", "]]").raw().multiline(), DOUBLE, SINGLE],
        ..PLAIN
    },
    Spec {
        names: "r rscript splus",
        keywords: "break else for function if in next repeat return while library require",
        constants: "TRUE FALSE NULL NA NaN Inf T F",
        line_comments: HASH,
        extra_word: ".",
        ..PLAIN
    },
    Spec {
        names: "julia jl",
        keywords: "abstract baremodule begin break catch const continue do else elseif end export \
            finally for function global if import in let local macro module mutable primitive \
            quote return struct try type using where while",
        constants: "true false nothing missing NaN Inf",
        line_comments: HASH,
        block_comments: &[("#=", "=#")],
        quotes: &[TRIPLE, DOUBLE.with("$(")],
        annotations: true,
        extra_word: "!",
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "haskell hs purescript purs elm idris agda",
        keywords: "as case class data default deriving do else family forall foreign hiding if \
            import in infix infixl infixr instance let module newtype of port qualified then type \
            where exposing",
        constants: "True False Nothing otherwise",
        line_comments: &["--"],
        block_comments: &[("{-", "-}")],
        nested_comments: true,
        quotes: &[TRIPLE, DOUBLE],
        extra_word: "'",
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "ocaml ml mli fsharp fs f# fsx reason rescript sml",
        keywords: "and as assert begin class constraint do done downto else end exception external \
            for fun function functor if in include inherit initializer lazy let match member \
            method module mutable namespace new object of open or override private rec sig static \
            struct then to try type use val virtual when while with yield",
        constants: "true false None",
        line_comments: SLASHES,
        block_comments: &[("(*", "*)")],
        nested_comments: true,
        quotes: &[TRIPLE, DOUBLE.multiline()],
        lifetimes: true,
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "powershell ps1 ps pwsh posh psm1",
        keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit \
            filter finally for foreach from function if in param process return switch throw trap \
            try until using while",
        constants: "$true $false $null true false null",
        line_comments: HASH,
        comments_apart: true,
        block_comments: &[("<#", "#>")],
        quotes: &[
            Quote { escape: Some('`'), ..DOUBLE.multiline().with("$(") },
            SINGLE.multiline().doubled(),
        ],
        sigils: "$@",
        extra_word: "-",
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "batch bat cmd dos winbatch",
        keywords: "call cd chdir cls copy del dir do echo else endlocal equ errorlevel exist exit \
            for geq goto gtr if in leq lss md mkdir move neq not off on pause popd pushd rd ren \
            rmdir set setlocal shift start title type",
        line_comments: &["::"],
        first_comments: &["rem", "@rem"],
        quotes: &[DOUBLE],
        calls: false,
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "dockerfile docker containerfile",
        keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER \
            ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
        line_comments: HASH,
        comments_apart: true,
        sigils: "$",
        calls: false,
        ..PLAIN
    },
    Spec {
        names: "makefile make mk mak just justfile",
        keywords: "ifeq ifneq ifdef ifndef else endif include define endef export override \
            unexport vpath",
        line_comments: HASH,
        sigils: "$",
        calls: false,
        colon_keys: true,
        extra_word: "-.",
        ..PLAIN
    },
    Spec {
        names: "cmake",
        keywords: "if else elseif endif foreach endforeach while endwhile function endfunction \
            macro endmacro return break continue",
        constants: "ON OFF TRUE FALSE",
        line_comments: HASH,
        sigils: "$",
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "hcl terraform tf tfvars nomad packer bicep",
        keywords: "resource data variable output provider module locals terraform for in if \
            dynamic moved import",
        types: "string number bool list map set object any",
        line_comments: &["#", "//"],
        quotes: &[DOUBLE.with("${")],
        here_documents: &["<<-", "<<"],
        extra_word: "-",
        ..BRACES
    },
    Spec {
        names: "graphql gql",
        keywords: "directive enum extend fragment implements input interface mutation on query \
            repeatable scalar schema subscription type union",
        types: "Boolean Float ID Int String",
        line_comments: HASH,
        quotes: &[TRIPLE, DOUBLE],
        sigils: "$",
        annotations: true,
        upper_types: true,
        colon_keys: true,
        ..PLAIN
    },
    Spec {
        names: "protobuf proto protocol-buffers thrift capnp",
        keywords: "enum extend extensions import map message namespace oneof option optional \
            package public repeated required reserved returns rpc service stream struct syntax to \
            typedef weak",
        types: "bool bytes double fixed32 fixed64 float i16 i32 i64 int32 int64 sfixed32 sfixed64 \
            sint32 sint64 string uint32 uint64 void",
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "solidity sol vyper move cairo",
        keywords: "abstract anonymous as assembly break calldata catch constant constructor \
            continue contract do else emit enum error event external fallback for function if \
            immutable import indexed interface internal is library mapping memory modifier new \
            override payable pragma private public pure receive return returns revert storage \
            struct super this throw try type unchecked using view virtual while fun let mut use \
            module script acquires",
        types: "address bool byte bytes bytes4 bytes32 fixed int int256 string uint uint8 uint128 \
            uint256 u8 u64 u128 vector signer felt",
        constants: "true false wei gwei ether seconds minutes hours days weeks",
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "zig v vlang odin",
        keywords: "align allowzero and anyframe asm async await break catch comptime const \
            continue defer else enum errdefer error export extern fn for if import in inline match \
            module mut noalias or orelse packed pub resume return struct suspend switch test \
            threadlocal try type union unreachable usingnamespace var volatile while",
        types: "bool f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void anytype string int",
        constants: "true false null undefined none",
        annotations: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "nim nimrod",
        keywords: "addr and as asm bind block break case cast concept const continue converter \
            defer discard distinct div do elif else end enum except export finally for from func \
            if import in include interface is isnot iterator let macro method mixin mod nil not \
            notin object of or out proc ptr raise ref return shl shr static template try tuple \
            type using var when while xor yield",
        line_comments: HASH,
        block_comments: &[("#[", "]#")],
        nested_comments: true,
        quotes: &[TRIPLE.raw(), DOUBLE, SINGLE],
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "d dlang vala",
        keywords: "abstract alias assert async auto body break case cast catch class const \
            continue default delegate delete do else enum export extern final finally for foreach \
            function get goto if import in inout interface invariant is lazy mixin module namespace \
            new nothrow null out override package private protected public pure ref return scope \
            set shared signal static struct super switch synchronized template this throw try \
            typeof union unittest using var version virtual while with yield",
        types: "bool byte char double float int long real short string ubyte uint ulong void wchar",
        quotes: &[TRIPLE, DOUBLE.multiline(), SINGLE, Quote::new("`", "`").raw().multiline()],
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "visualbasic vb vbnet vb.net vba vbscript basic",
        keywords: "addhandler and andalso as byref byval call case catch class const continue dim \
            do each else elseif end enum event exit finally for friend function get gosub goto if \
            implements imports in inherits interface is let like loop me mod module mustinherit \
            mybase namespace new next not of on option optional or orelse overridable overrides \
            private property protected public raiseevent readonly redim return select set shared \
            static step stop structure sub then throw to try until using wend when while with \
            withevents",
        types: "boolean byte char date decimal double integer long object short single string",
        constants: "true false nothing",
        line_comments: &["'"],
        first_comments: &["rem"],
        quotes: &[DOUBLE.doubled()],
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "pascal delphi objectpascal object-pascal pas ada vhdl",
        keywords: "and array as begin case class const constructor destructor div do downto else \
            end except exit finally for function goto if implementation in inherited interface is \
            mod not of or out package private procedure program property protected public raise \
            record repeat set shl shr string then to try type unit until uses var while with xor \
            entity architecture port signal process loop elsif",
        types: "boolean byte char double integer real single longint cardinal std_logic",
        constants: "true false nil",
        line_comments: &["//", "--"],
        block_comments: &[("{", "}"), ("(*", "*)")],
        quotes: &[SINGLE.doubled(), DOUBLE.raw()],
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "fortran f90 f95 f03 f08 for f",
        keywords: "allocatable allocate call case character common complex contains continue \
            cycle deallocate dimension do else elseif end enddo endif exit function if implicit \
            in inout integer intent logical module none only out parameter pointer print private \
            procedure program public pure read real recursive result return save select stop \
            subroutine target then type use where while write",
        line_comments: &["!"],
        quotes: &[SINGLE.doubled(), DOUBLE.doubled()],
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "matlab octave mat",
        keywords: "break case catch classdef continue else elseif end for function global if \
            methods otherwise parfor persistent properties return switch try while",
        constants: "true false pi Inf NaN eps",
        line_comments: &["%", "#"],
        quotes: &[DOUBLE.doubled()],
        ..PLAIN
    },
    Spec {
        names: "latex tex bibtex context katex",
        keywords: "",
        line_comments: &["%"],
        quotes: &[],
        sigils: "\\",
        calls: false,
        ..PLAIN
    },
    Spec {
        names: "nginx nginxconf apache apacheconf htaccess haproxy caddy caddyfile",
        keywords: "server location upstream http events if return rewrite listen server_name root \
            index include proxy_pass proxy_set_header set map types allow deny error_page \
            try_files ssl_certificate ssl_certificate_key access_log error_log add_header alias \
            expires gzip worker_processes worker_connections reverse_proxy file_server",
        constants: "on off",
        line_comments: HASH,
        comments_apart: true,
        sigils: "$",
        calls: false,
        ..PLAIN
    },
    Spec {
        names: "vim viml vimscript nvim",
        keywords: "if else elseif endif for endfor while endwhile function endfunction return let \
            set call echo autocmd augroup command execute map nmap nnoremap vmap imap noremap \
            syntax highlight source plug",
        first_comments: &["\""],
        quotes: &[SINGLE.doubled(), DOUBLE],
        ..PLAIN
    },
    Spec {
        names: "awk gawk sed",
        keywords: "BEGIN END break continue delete do else exit for function getline if in next \
            nextfile print printf return while",
        constants: "NR NF FS OFS RS ORS FILENAME FNR",
        line_comments: HASH,
        quotes: &[DOUBLE],
        sigils: "$",
        regexes: true,
        ..PLAIN
    },
    Spec {
        names: "asm assembly nasm x86asm gas armasm mips riscv llvm",
        keywords: "add addi and b beq bl bne call cmp dec div imul inc int ja jae jb jbe je jg jge \
            jl jle jmp jne jnz jz la ldr lea li loop lw mov movl movq mul neg nop not or pop push \
            pushq popq ret retq shl shr str sub subq sw syscall test xor define declare",
        types: "byte db dd dq dw dword global ptr qword section segment text data bss word extern",
        line_comments: &[";", "//", "@ "],
        sigils: "%$",
        calls: false,
        ignore_case: true,
        ..PLAIN
    },
    Spec {
        names: "nix",
        keywords: "assert else if import in inherit let or rec then with",
        line_comments: HASH,
        block_comments: C_COMMENT,
        quotes: &[
            Quote::new("''", "''").raw().multiline().with("${"),
            DOUBLE.multiline().with("${"),
        ],
        extra_word: "-",
        calls: false,
        ..PLAIN
    },
    Spec {
        names: "prolog swipl datalog",
        keywords: "is not mod rem module use_module dynamic",
        line_comments: &["%"],
        block_comments: C_COMMENT,
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "coffeescript coffee litcoffee",
        keywords: "and break by case catch class continue delete do else extends finally for if in \
            instanceof is isnt loop new not of or own return super switch then this throw try \
            typeof unless until when while yield",
        constants: "true false null undefined yes no on off",
        line_comments: HASH,
        block_comments: &[("###", "###")],
        quotes: &[TRIPLE.with("#{"), DOUBLE.with("#{"), SINGLE],
        annotations: true,
        upper_types: true,
        colon_keys: true,
        ..PLAIN
    },
    Spec {
        names: "gherkin feature cucumber",
        keywords: "Feature Background Scenario Outline Examples Given When Then And But Rule",
        line_comments: HASH,
        annotations: true,
        calls: false,
        ..PLAIN
    },
    Spec {
        names: "gdscript gd godot",
        keywords: "and as assert await break class class_name const continue elif else enum export \
            extends for func if in is match not onready or pass return self signal static super \
            tool var while yield",
        types: "bool float int String Array Dictionary Vector2 Vector3 Node void",
        line_comments: HASH,
        annotations: true,
        upper_types: true,
        ..PLAIN
    },
    Spec {
        names: "apex abap abl actionscript as as3 haxe hx",
        keywords: "abstract break case catch class const continue default delete do else enum \
            extends final finally for function global if implements import in instanceof interface \
            internal new override package private protected public return sharing static super \
            switch this throw trigger try typedef typeof using var virtual void while with",
        types: "Boolean Date Decimal Id Integer List Long Map Object Set String Array Int Float",
        annotations: true,
        upper_types: true,
        ..BRACES
    },
    Spec {
        names: "csv tsv psv",
        calls: false,
        constants: "",
        quotes: &[DOUBLE.doubled()],
        ..PLAIN
    },
    Spec { names: "regex regexp", quotes: &[], calls: false, constants: "", ..PLAIN },
    // Values of settings and YAML. Names of languages contain no NUL.
    Spec {
        names: "\0values",
        constants: "true false null yes no on off True False None",
        line_comments: &["#", ";"],
        comments_apart: true,
        quotes: &[TRIPLE, Quote::new("'''", "'''").raw().multiline(), DOUBLE, SINGLE.doubled()],
        sigils: "$",
        extra_word: "-.",
        colon_keys: true,
        calls: false,
        ..PLAIN
    },
];
