"""What each service accepts, as strict models written from its published description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

Amount = Annotated[StrictInt, Field(ge=0)]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Shape(BaseModel):
    """A document in which every key is known."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class GradescopeTest(Shape):
    score: Number | None = None
    max_score: Number | None = None
    status: Literal["passed", "failed"] | None = None
    name: StrictStr
    name_format: StrictStr | None = None
    number: StrictStr
    output: StrictStr
    output_format: StrictStr | None = None
    tags: list[StrictStr] = []
    visibility: Literal["visible", "hidden", "after_due_date", "after_published"]
    extra_data: dict[str, object] = {}


class Gradescope(Shape):
    """``results.json``: a total, or a score on every test."""

    score: Number
    execution_time: Number | None = None
    output: StrictStr
    output_format: Literal["text", "html", "simple_format", "md", "ansi"]
    test_output_format: Literal["text", "html", "simple_format", "md", "ansi"]
    test_name_format: Literal["text", "html", "simple_format", "md", "ansi"]
    visibility: Literal["visible", "hidden", "after_due_date", "after_published"]
    stdout_visibility: Literal["visible", "hidden", "after_due_date", "after_published"]
    extra_data: dict[str, object]
    tests: list[GradescopeTest]


class Classroom50Test(BaseModel):
    """One test; further keys are allowed here and only here."""

    model_config = ConfigDict(extra="allow")

    name: StrictStr = Field(alias="test-name")
    passed: StrictBool
    score: Amount
    most: Amount = Field(alias="max-score")

    @model_validator(mode="after")
    def _no_more_than_all(self) -> Classroom50Test:
        assert self.score <= self.most
        return self


class Classroom50(Shape):
    """``classroom50/result/v1``."""

    schema_name: Literal["classroom50/result/v1"] = Field(alias="schema")
    classroom: StrictStr
    assignment: StrictStr
    assignment_type: Literal["individual", "group", "team"]
    owner: StrictStr
    submission: Annotated[StrictStr, Field(pattern=r"^submit/")]
    commit: StrictStr
    release: StrictStr
    review: StrictStr
    datetime: Annotated[StrictStr, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
    score: Amount
    most: Amount = Field(alias="max-score")
    tests: Annotated[list[Classroom50Test], Field(max_length=100)]

    @model_validator(mode="after")
    def _no_more_than_all(self) -> Classroom50:
        assert self.score <= self.most
        return self


class ReporterTest(Shape):
    name: StrictStr
    status: Literal["pass", "fail", "error"]
    score: Number
    message: StrictStr
    test_code: StrictStr
    filename: StrictStr
    line_no: Amount
    duration: Number


class Reporter(Shape):
    """The result of one runner of GitHub Classroom's reporter."""

    version: StrictInt
    status: Literal["pass", "fail", "error"]
    max_score: Number
    tests: Annotated[list[ReporterTest], Field(min_length=1)]

    @property
    def recorded(self) -> float:
        """The points that the reporter records: the sum of scores, if there is a maximum."""
        return sum(test.score for test in self.tests) if self.max_score else float("nan")

    @property
    def table(self) -> float:
        """The points that the reporter's table shows: passed tests count, scores do not."""
        passed = sum(test.status == "pass" for test in self.tests)
        return passed / len(self.tests) * self.max_score


class PrairieLearnTest(Shape):
    name: StrictStr
    points: Number
    max_points: Number
    output: StrictStr


class PrairieLearn(Shape):
    gradable: Literal[True]
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    message: StrictStr
    tests: list[PrairieLearnTest]


class PrairieLearnRefusal(Shape):
    gradable: Literal[False]
    format_errors: Annotated[list[StrictStr], Field(min_length=1)]
