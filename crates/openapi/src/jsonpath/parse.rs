//! Parses queries with the grammar of RFC 9535.

use serde_json::Value;

use super::{Operand, Operator, PathError, Query, Segment, Selector, Test, regexp};

/// Maximum size of a query in bytes.
const MAX_LENGTH: usize = 8 << 10;
/// Maximum number of segments of a query and of those in its filters together.
const MAX_SEGMENTS: usize = 256;
/// Maximum number of expressions within each other.
const MAX_NESTING: usize = 32;
/// Greatest integer that RFC 9535 allows.
const MAX_INTEGER: i64 = (1 << 53) - 1;

type Result<T> = std::result::Result<T, PathError>;

pub(super) fn parse(text: &str) -> Result<Query> {
    let mut parser = Parser { text, at: 0, segments: 0, nesting: 0 };
    if text.len() > MAX_LENGTH {
        return Err(parser.error(format!("found more than {} KiB", MAX_LENGTH >> 10)));
    }
    if !parser.eats("$") {
        return Err(parser.expected("\"$\""));
    }
    let segments = parser.segments()?;
    match parser.peek() {
        None => Ok(Query { is_absolute: true, segments }),
        Some(_) => Err(parser.expected("\".\", \"[\" or the end")),
    }
}

struct Parser<'t> {
    text: &'t str,
    /// Byte that comes next.
    at: usize,
    /// The number of segments so far.
    segments: usize,
    nesting: usize,
}

/// An expression in a filter whose use is not known yet.
enum Expression {
    Query(Query),
    Operand(Operand),
    Test(Test),
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eats(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Reads a text that has to come next.
    fn takes(&mut self, text: &str) -> Result<()> {
        if self.eats(text) { Ok(()) } else { Err(self.expected(&format!("{text:?}"))) }
    }

    /// Reads characters while they fulfil a condition.
    fn while_is(&mut self, is: impl Fn(char) -> bool) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.find(|character| !is(character)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn space(&mut self) {
        self.while_is(|character| matches!(character, ' ' | '\t' | '\n' | '\r'));
    }

    fn error(&self, message: String) -> PathError {
        let before = self.text.get(..self.at).unwrap_or_default();
        PathError { character: before.chars().count() + 1, message }
    }

    fn expected(&self, expected: &str) -> PathError {
        let found = match self.peek() {
            Some(character) => format!("{:?}", character.to_string()),
            None => "the end".to_owned(),
        };
        self.error(format!("found {found}, expected {expected}"))
    }

    /// Parses a part that can contain others of its kind.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting == MAX_NESTING {
            let message = format!("found more than {MAX_NESTING} expressions within each other");
            return Err(self.error(message));
        }
        self.nesting += 1;
        let parsed = part(self)?;
        self.nesting -= 1;
        Ok(parsed)
    }

    fn segments(&mut self) -> Result<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.space();
            let Some(segment) = self.segment()? else {
                self.at = before;
                return Ok(segments);
            };
            if self.segments == MAX_SEGMENTS {
                return Err(self.error(format!("found more than {MAX_SEGMENTS} segments")));
            }
            self.segments += 1;
            segments.push(segment);
        }
    }

    fn segment(&mut self) -> Result<Option<Segment>> {
        let descends = self.eats("..");
        let selectors = if self.peek() == Some('[') {
            self.brackets()?
        } else if descends || self.eats(".") {
            vec![self.shorthand()?]
        } else {
            return Ok(None);
        };
        Ok(Some(Segment { descends, selectors }))
    }

    fn shorthand(&mut self) -> Result<Selector> {
        if self.eats("*") {
            return Ok(Selector::Wildcard);
        }
        let is_first = |character: char| character.is_ascii_alphabetic() || character == '_';
        let is_first = |character: char| is_first(character) || !character.is_ascii();
        if !self.peek().is_some_and(is_first) {
            return Err(self.expected("a name or \"*\""));
        }
        let name = self.while_is(|character| is_first(character) || character.is_ascii_digit());
        let name = name.to_owned();
        match self.peek() {
            Some('-') => Err(self.expected("a name in brackets, such as ['x-name']")),
            _ => Ok(Selector::Name(name)),
        }
    }

    fn brackets(&mut self) -> Result<Vec<Selector>> {
        self.takes("[")?;
        let mut selectors = Vec::new();
        loop {
            self.space();
            selectors.push(self.selector()?);
            self.space();
            if self.eats("]") {
                return Ok(selectors);
            }
            if !self.eats(",") {
                return Err(self.expected("\",\" or \"]\""));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector> {
        match self.peek() {
            Some('\'' | '"') => Ok(Selector::Name(self.string()?)),
            Some('*') => {
                self.next();
                Ok(Selector::Wildcard)
            }
            Some('?') => {
                self.next();
                self.space();
                Ok(Selector::Filter(self.nested(Self::or)?))
            }
            Some('-' | ':' | '0'..='9') => self.index_or_slice(),
            _ => Err(self.expected("a name in quotes, a number, \"*\" or \"?\"")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector> {
        let start = self.integer()?;
        let after = self.at;
        self.space();
        if !self.eats(":") {
            self.at = after;
            return start.map(Selector::Index).ok_or_else(|| self.expected("a number"));
        }
        self.space();
        let end = self.integer()?;
        let after = self.at;
        self.space();
        let mut step = None;
        if self.eats(":") {
            let after = self.at;
            self.space();
            step = self.integer()?;
            if step.is_none() {
                self.at = after;
            }
        } else {
            self.at = after;
        }
        Ok(Selector::Slice { start, end, step: step.unwrap_or(1) })
    }

    fn integer(&mut self) -> Result<Option<i64>> {
        let start = self.at;
        let sign = if self.eats("-") { -1 } else { 1 };
        let digits = self.while_is(|character| character.is_ascii_digit()).to_owned();
        if digits.is_empty() {
            return if sign < 0 { Err(self.expected("a digit")) } else { Ok(None) };
        }
        let number = digits.parse::<i64>().ok().filter(|number| *number <= MAX_INTEGER);
        let has_form = !digits.starts_with('0') || (digits == "0" && sign > 0);
        match number.filter(|_| has_form) {
            Some(number) => Ok(Some(sign * number)),
            None => {
                self.at = start;
                Err(self.expected("an integer up to 2^53 without leading zeros"))
            }
        }
    }

    fn string(&mut self) -> Result<String> {
        let quote = self.next();
        let mut string = String::new();
        loop {
            match self.peek() {
                Some('\\') => {
                    self.next();
                    string.push(self.escaped(quote)?);
                }
                Some(character) if Some(character) == quote => {
                    self.next();
                    return Ok(string);
                }
                Some(character) if character >= ' ' => {
                    self.next();
                    string.push(character);
                }
                _ => return Err(self.expected("a character or the closing quote")),
            }
        }
    }

    fn escaped(&mut self, quote: Option<char>) -> Result<char> {
        let found = self.peek();
        let character = match found {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(character @ ('/' | '\\')) => character,
            Some('u') => {
                self.next();
                return self.code_point();
            }
            Some(character) if found == quote => character,
            _ => return Err(self.expected("one of the escapes b, f, n, r, t, u, / and \\")),
        };
        self.next();
        Ok(character)
    }

    /// Reads the digits of `\u` and those of a second one if a surrogate pair needs it.
    fn code_point(&mut self) -> Result<char> {
        let high = self.code_unit()?;
        let mut units = vec![high];
        if (0xD800..0xDC00).contains(&high) {
            self.takes("\\u")?;
            units.push(self.code_unit()?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(self.expected("no half of a surrogate pair before it")),
        }
    }

    fn code_unit(&mut self) -> Result<u16> {
        let digits = self.rest().get(..4).unwrap_or_default();
        let is_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u16::from_str_radix(digits, 16).ok().filter(|_| is_hex) {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => Err(self.expected("four hexadecimal digits")),
        }
    }

    fn or(&mut self) -> Result<Test> {
        let mut tests = vec![self.and()?];
        while self.is_followed_by("||") {
            tests.push(self.and()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::Or(tests) })
    }

    fn and(&mut self) -> Result<Test> {
        let mut tests = vec![self.basic()?];
        while self.is_followed_by("&&") {
            tests.push(self.basic()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::And(tests) })
    }

    /// Reads an operator with the space around it, if it comes next.
    fn is_followed_by(&mut self, operator: &str) -> bool {
        let before = self.at;
        self.space();
        let is_next = self.eats(operator);
        if is_next {
            self.space();
        } else {
            self.at = before;
        }
        is_next
    }

    fn basic(&mut self) -> Result<Test> {
        if self.eats("!") {
            self.space();
            let test = match self.peek() {
                Some('(') => self.parentheses()?,
                _ => {
                    let expression = self.expression()?;
                    self.test(expression)?
                }
            };
            return Ok(Test::Not(Box::new(test)));
        }
        if self.peek() == Some('(') {
            return self.parentheses();
        }
        let left = self.expression()?;
        let before = self.at;
        self.space();
        let Some(operator) = self.operator() else {
            self.at = before;
            return self.test(left);
        };
        let left = self.comparable(left)?;
        self.space();
        let right = self.expression()?;
        Ok(Test::Compare(left, operator, self.comparable(right)?))
    }

    fn parentheses(&mut self) -> Result<Test> {
        self.takes("(")?;
        self.space();
        let test = self.nested(Self::or)?;
        self.space();
        self.takes(")")?;
        Ok(test)
    }

    fn operator(&mut self) -> Option<Operator> {
        let operators = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        operators.into_iter().find(|(text, _)| self.eats(text)).map(|(_, operator)| operator)
    }

    fn test(&self, expression: Expression) -> Result<Test> {
        match expression {
            Expression::Query(query) => Ok(Test::Exists(query)),
            Expression::Test(test) => Ok(test),
            Expression::Operand(_) => Err(self.expected("a comparison with the value before it")),
        }
    }

    fn comparable(&self, expression: Expression) -> Result<Operand> {
        match expression {
            Expression::Operand(operand) => Ok(operand),
            Expression::Query(query) if query.is_singular() => Ok(Operand::Singular(query)),
            Expression::Query(_) => {
                Err(self.expected("no path before it that can select several values"))
            }
            Expression::Test(_) => Err(self.expected("no function before it without a value")),
        }
    }

    fn expression(&mut self) -> Result<Expression> {
        match self.peek() {
            Some('@' | '$') => {
                let is_absolute = self.next() == Some('$');
                Ok(Expression::Query(Query { is_absolute, segments: self.segments()? }))
            }
            Some('\'' | '"') => {
                Ok(Expression::Operand(Operand::Literal(Value::String(self.string()?))))
            }
            Some('-' | '0'..='9') => Ok(Expression::Operand(Operand::Literal(self.number()?))),
            Some('a'..='z') => self.word(),
            _ => Err(self.expected("\"@\", \"$\", a value, a function, \"!\" or \"(\"")),
        }
    }

    fn number(&mut self) -> Result<Value> {
        let start = self.at;
        let number = self.while_is(|character| {
            character.is_ascii_digit() || matches!(character, '-' | '+' | '.' | 'e' | 'E')
        });
        // JSON has the same grammar of numbers.
        match serde_json::from_str(number) {
            Ok(number) => Ok(number),
            Err(_) => {
                self.at = start;
                Err(self.expected("a number as in JSON"))
            }
        }
    }

    /// Parses `true`, `false`, `null` or a function.
    fn word(&mut self) -> Result<Expression> {
        let start = self.at;
        let word = self.while_is(|character| {
            character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
        });
        let literal = match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            _ => None,
        };
        if let Some(literal) = literal {
            return Ok(Expression::Operand(Operand::Literal(literal)));
        }
        let word = word.to_owned();
        if !matches!(word.as_str(), "length" | "count" | "value" | "match" | "search") {
            self.at = start;
            return Err(self.expected("length, count, match, search, value, true, false or null"));
        }
        self.takes("(")?;
        self.space();
        let function = self.nested(|parser| parser.function(&word))?;
        self.space();
        self.takes(")")?;
        Ok(function)
    }

    fn function(&mut self, name: &str) -> Result<Expression> {
        let first = self.expression()?;
        Ok(match name {
            "length" => Expression::Operand(Operand::Length(Box::new(self.comparable(first)?))),
            "count" => Expression::Operand(Operand::Count(self.nodes(first)?)),
            "value" => Expression::Operand(Operand::Value(self.nodes(first)?)),
            _ => {
                let text = self.comparable(first)?;
                self.space();
                self.takes(",")?;
                self.space();
                let second = self.expression()?;
                let pattern = self.comparable(second)?;
                if let Operand::Literal(Value::String(pattern)) = &pattern {
                    let checked = regexp::translate(pattern);
                    checked.map_err(|error| {
                        self.error(format!("{error} in the regular expression {pattern:?}"))
                    })?;
                }
                Expression::Test(Test::Match { text, pattern, is_whole: name == "match" })
            }
        })
    }

    fn nodes(&self, expression: Expression) -> Result<Query> {
        match expression {
            Expression::Query(query) => Ok(query),
            _ => Err(self.expected("a path before it")),
        }
    }
}
