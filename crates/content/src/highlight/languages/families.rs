//! Properties shared by families of programming languages.

use super::{Quote, Spec};

pub(super) const DOUBLE: Quote = Quote::new("\"", "\"");
pub(super) const SINGLE: Quote = Quote::new("'", "'");
pub(super) const BACKTICK: Quote = Quote::new("`", "`").multiline();
pub(super) const TRIPLE: Quote = Quote::new("\"\"\"", "\"\"\"").multiline();
pub(super) const BOTH: &[Quote] = &[DOUBLE, SINGLE];
pub(super) const C_COMMENT: &[(&str, &str)] = &[("/*", "*/")];
pub(super) const SLASHES: &[&str] = &["//"];
pub(super) const HASH: &[&str] = &["#"];

/// A language without properties of its own.
pub(super) const PLAIN: Spec = Spec {
    names: "",
    keywords: "",
    types: "",
    constants: "true false null",
    functions: "",
    line_comments: &[],
    first_comments: &[],
    block_comments: &[],
    nested_comments: false,
    comments_apart: false,
    quotes: BOTH,
    here_documents: &[],
    prefixes: &[],
    sigils: "",
    extra_word: "",
    annotations: false,
    preprocessor: false,
    lifetimes: false,
    regexes: false,
    tags: false,
    calls: true,
    macros: false,
    upper_types: false,
    colon_keys: false,
    keys: false,
    list_heads: false,
    shell: false,
    ignore_case: false,
};

/// Properties of languages with C-like syntax.
pub(super) const BRACES: Spec = Spec { line_comments: SLASHES, block_comments: C_COMMENT, ..PLAIN };

pub(super) const C: Spec = Spec {
    names: "c h objectivec-header opencl arduino ino",
    keywords: "auto break case const continue default do else enum extern for goto if inline \
        register restrict return sizeof static struct switch typedef union volatile while \
        _Atomic _Generic _Static_assert _Thread_local",
    types: "bool char double float int long short signed unsigned void size_t ssize_t int8_t \
        int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t FILE",
    constants: "true false NULL",
    preprocessor: true,
    prefixes: &["l", "u", "u8"],
    ..BRACES
};

pub(super) const CPP: Spec = Spec {
    names: "cpp c++ cc cxx hpp hxx hh cuda cu glsl hlsl metal wgsl",
    keywords: "alignas alignof and asm auto break case catch class co_await co_return co_yield \
        concept const const_cast consteval constexpr constinit continue decltype default delete \
        do dynamic_cast else enum explicit export extern final for friend goto if import inline \
        module mutable namespace new noexcept not operator or override private protected public \
        register reinterpret_cast requires return sizeof static static_assert static_cast struct \
        switch template this thread_local throw try typedef typeid typename union using virtual \
        volatile while xor __global__ __device__ __host__ __shared__ uniform varying attribute",
    types: "bool char char8_t char16_t char32_t double float int long short signed unsigned void \
        size_t wchar_t string vector map set pair int8_t int16_t int32_t int64_t uint8_t \
        uint16_t uint32_t uint64_t vec2 vec3 vec4 mat3 mat4 sampler2D",
    constants: "true false nullptr NULL",
    ..C
};

pub(super) const JAVASCRIPT: Spec = Spec {
    names: "javascript js jsx mjs cjs node nodejs react es6 ecmascript typescript ts tsx mts cts \
        angular deno",
    keywords: "abstract as asserts async await break case catch class const continue debugger \
        declare default delete do else enum export extends finally for from function get if \
        implements import in infer instanceof interface is keyof let namespace new of override \
        private protected public readonly return satisfies set static super switch this throw \
        try type typeof var void while with yield",
    types: "any bigint boolean never number object string symbol unknown Array Promise Record \
        Partial Map Set Date Error RegExp Object String Number Boolean Symbol",
    constants: "true false null undefined NaN Infinity",
    functions: "console window document require module exports process",
    quotes: &[DOUBLE, SINGLE, BACKTICK.with("${")],
    annotations: true,
    extra_word: "$",
    regexes: true,
    tags: true,
    upper_types: true,
    colon_keys: true,
    ..BRACES
};

pub(super) const JSON: Spec = Spec {
    names: "json jsonc json5 jsonl ndjson geojson webmanifest har ipynb jason avsc",
    quotes: BOTH,
    keys: true,
    colon_keys: true,
    calls: false,
    ..BRACES
};

pub(super) const JAVA: Spec = Spec {
    names: "java",
    keywords: "abstract assert break case catch class const continue default do else enum \
        exports extends final finally for goto if implements import instanceof interface module \
        native new non-sealed open package permits private protected public record requires \
        return sealed static strictfp super switch synchronized this throw throws transient try \
        var volatile while yield",
    types: "boolean byte char double float int long short void",
    quotes: &[TRIPLE, DOUBLE, SINGLE],
    annotations: true,
    upper_types: true,
    ..BRACES
};

pub(super) const PYTHON: Spec = Spec {
    names: "python py python3 py3 pyi ipython pycon gyp starlark bazel bzl sage",
    keywords: "and as assert async await break case class continue def del elif else except \
        finally for from global if import in is lambda match nonlocal not or pass raise return \
        try while with yield",
    types: "bool bytes complex dict float frozenset int list object set str tuple type",
    constants: "True False None Ellipsis NotImplemented self cls __name__ __main__",
    functions: "abs all any enumerate filter getattr hasattr input isinstance len map max min \
        open print range repr reversed round setattr sorted sum super zip",
    line_comments: HASH,
    quotes: &[TRIPLE, Quote::new("'''", "'''").multiline(), DOUBLE, SINGLE],
    prefixes: &["f", "r", "b", "u", "rb", "br", "fr", "rf"],
    annotations: true,
    upper_types: true,
    ..PLAIN
};

pub(super) const SHELL: Spec = Spec {
    names: "bash sh shell zsh ksh fish shellscript shell-session shellsession console terminal \
        curl sehll bashrc profile ash dash session",
    keywords: "if then else elif fi for while until do done case esac in function select time \
        return exit break continue local export declare readonly unset set shift trap source \
        eval exec sudo",
    constants: "true false",
    line_comments: HASH,
    comments_apart: true,
    quotes: &[DOUBLE.multiline().with("${"), Quote::new("$'", "'"), SINGLE.multiline().raw()],
    here_documents: &["<<"],
    sigils: "$",
    calls: false,
    shell: true,
    ..PLAIN
};

pub(super) const SQL: Spec = Spec {
    names: "sql mysql postgresql postgres psql pgsql plsql plpgsql tsql t-sql sqlite mariadb \
        bigquery snowflake redshift clickhouse cql hql ksql sparql cypher",
    keywords: "add after all alter analyze and any as asc authorization begin before between by \
        cascade case cast check collate column comment commit concurrently conflict constraint \
        copy create cross cube current database declare default deferrable delete desc distinct \
        do drop each else elsif end escape except exclude execute exists explain extension fetch \
        filter first following for foreign from full function generated grant group grouping \
        having if ilike in index inherit inner insert instead intersect into is isolation join \
        key language last lateral left level like limit listen lock loop match materialized \
        merge natural next no not nothing notify nulls of offset on only or order outer over \
        owner partition plan policy preceding prepare primary privileges procedure raise range \
        recursive references refresh rename replace restrict return returning returns revoke \
        right role rollback rollup row rows rule savepoint schema select sequence session set \
        show similar some start table tablespace temp temporary then to transaction trigger \
        truncate type unbounded union unique unlogged update use user using vacuum values view \
        when where while window with within without work zone",
    types: "bigint bigserial binary bit blob bool boolean bytea char character cidr clob date \
        datetime decimal double enum float hstore inet int int4 int8 integer interval json jsonb \
        macaddr money nchar number numeric nvarchar oid point precision real record serial \
        smallint text time timestamp timestamptz tinyint tsquery tsvector uuid varbinary varchar \
        varchar2 varying xml",
    line_comments: &["--"],
    block_comments: C_COMMENT,
    quotes: &[
        Quote::new("$$", "$$").raw().multiline(),
        SINGLE.multiline().doubled(),
        DOUBLE.doubled(),
        Quote::new("`", "`").raw(),
    ],
    sigils: "@",
    ignore_case: true,
    ..PLAIN
};

pub(super) const LISP: Spec = Spec {
    names: "lisp commonlisp common-lisp elisp emacs-lisp emacs scheme racket clojure clj cljs \
        cljc edn fennel janet",
    keywords: "def defn defmacro defun defvar defparameter defmethod defclass defstruct let let* \
        letrec if cond when unless case do loop recur fn lambda progn begin setq set! quote ns \
        require import use",
    constants: "nil t true false",
    line_comments: &[";"],
    block_comments: &[("#|", "|#")],
    quotes: &[DOUBLE.multiline()],
    extra_word: "-*!?<>=+/:%&.",
    calls: false,
    list_heads: true,
    ..PLAIN
};
